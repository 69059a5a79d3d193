"""Prove a port on this machine: train the original, one emulated device, and two of them.

Two devices see what one saw only where each trains with half of its batch, so the batch size in the
command is halved, where the program has an option for it, else the one in the code that runs.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ascendify.launch.scaffold.options import ScriptOptions, read
from ascendify.port.batch import halve_in_files
from ascendify.processes.commands import is_shell_text, shell_script
from ascendify.programs.program import Program, Programs
from ascendify.verify.judge import Evidence, Verdict, VerifyResult, judge_alone
from ascendify.verify.original_launcher import joins_ranks
from ascendify.verify.request import VerifyRequest
from ascendify.verify.session import try_migrated, verify

SEVERAL = 2
_WARNING = "a fed batch is not divided"
_UNDIVIDED = (
    "where a fed batch has no half, or its placeholder a fixed size, every one on all of it "
    "(see TF1-DIST-7)"
)


@dataclass(frozen=True)
class Proof:
    """What one training of the port showed."""

    devices: int
    verdict: Verdict
    compared: bool = True
    """Whether its numbers were compared with the original's."""
    note: str = ""
    """Why they were not, or with which command."""
    files: tuple[str, ...] = ()
    """The files of the project whose code the training runs; empty where they are not known."""
    differs: str = ""
    """How the numbers of several devices differ from those of one, where the devices trained one
    model together: dropout, for instance, is drawn on each device."""

    @property
    def holds(self) -> bool:
        """Whether it trained, with equal numbers where these must be equal."""
        return bool(self.differs) or self.verdict.result is VerifyResult.PASS


def prove(
    request: VerifyRequest,
    programs: Programs,
    several: bool,
    progress: Callable[[str], None],
    note: str = "",
) -> tuple[Proof, ...]:
    """Train the original and one device; then, where the port is data-parallel, two devices.

    ``note`` says how the original is changed for this, where it is.
    """
    program = started_program(request.migrated_command, programs)
    files = program.files if program is not None else ()
    first = Proof(request.devices, verify(request, progress), note=note, files=files)
    if not several or request.devices > 1 or not first.holds:
        return (first,)
    return (first, _prove_several(request, programs, first.verdict, progress))


def _prove_several(
    request: VerifyRequest, programs: Programs, alone: Verdict, progress: Callable[[str], None]
) -> Proof:
    """Train two devices with half of the batch each, where there is a way to halve it."""
    ranks = replace(request, devices=SEVERAL, folder=None)
    script = script_of(request.migrated_command, request.migrated)
    # what a script of the project runs is looked at as if the command ran it itself
    text = request.migrated_command if script is None else ("sh", "-c", script[1])
    program = started_program(text, programs)
    if _has_ranks(ranks, program):
        return _compared(ranks, "with two ranks of the original", progress)
    options = _options_of(program, request.migrated)
    command, note = halve_batch(text, options)
    if command is not None and script is not None:
        changed = replace(ranks, replaced=((script[0], command[2].encode()),))
        note = f"{note}, changed for this in {script[0]}"
        return _compared(changed, note, progress, alone)
    if command is not None:
        halved_ranks = replace(ranks, migrated_command=command)
        return _compared(halved_ranks, note, progress, alone)
    halved = halve_in_files(request.migrated, program.files) if program is not None else None
    if halved is not None:
        changed = replace(ranks, replaced=halved.files)
        proof = _compared(changed, halved.note, progress, alone)
        if proof.verdict.failed_side is None:
            return proof
        note = f"it does not train {halved.note}"
    return Proof(SEVERAL, try_migrated(ranks, progress), compared=False, note=note)


def _has_ranks(request: VerifyRequest, program: Program | None) -> bool:
    """Whether the original runs as several ranks itself, which show what those of the port do."""
    if request.original_launch.ranks == 1 or program is None:
        return False
    return joins_ranks(request.original / path for path in program.files)


def script_of(command: Sequence[str], project: Path) -> tuple[str, str] | None:
    """The path and text of the project's shell script that a command runs; None for others."""
    given = command[0] if command[0].endswith(".sh") else shell_script(command)
    path = posixpath.normpath(given or "")
    if given is None or path.startswith(("/", "..")) or not (project / path).is_file():
        return None
    try:
        return path, (project / path).read_bytes().decode()
    except UnicodeDecodeError:
        return None


def _compared(
    ranks: VerifyRequest, note: str, progress: Callable[[str], None], alone: Verdict | None = None
) -> Proof:
    """Compare several devices with a run of the original, or with one that was compared before."""
    # the original has shown that it repeats itself: it agrees with one device
    known = alone.original if alone is not None else None
    verdict = verify(replace(ranks, repeat=False), progress, known)
    if _is_undivided(verdict):
        note = _UNDIVIDED
    if verdict.without:
        note = f"{note}, without {verdict.without}".removeprefix(", ")
    return Proof(SEVERAL, verdict, note=note, differs=_difference(verdict))


def _is_undivided(verdict: Verdict) -> bool:
    """Whether the port warned that devices train on the same samples; see TF1-DIST-7."""
    logs = verdict.migrated.logs if verdict.migrated is not None else ()
    return any(_WARNING in log.read_text(encoding="utf-8", errors="replace") for log in logs)


def _difference(verdict: Verdict) -> str:
    """How numbers differ, where that is all that speaks against several devices; else nothing."""
    if verdict.result is not VerifyResult.MISMATCH or verdict.migrated is None:
        return ""
    alone = judge_alone(verdict.migrated, verdict.report, Evidence())
    return "" if alone.reasons else verdict.reasons[0]


def _options_of(program: Program | None, port: Path) -> ScriptOptions:
    """The options of the program that a command starts."""
    if program is None:
        return ScriptOptions()
    return read(
        [(port / path).read_text(encoding="utf-8", errors="replace") for path in program.files]
    )


def started_program(command: Sequence[str], programs: Programs) -> Program | None:
    """Find the program of the project that a command starts, also from another folder of it.

    Of several, as in ``python prepare.py && python train.py``, it is the first that trains.
    """
    found = list(_started(command, programs))
    return next((item for item in found if item.trains), found[0] if found else None)


def _started(command: Sequence[str], programs: Programs) -> Iterator[Program]:
    folder = ""
    words = shell_words(command[2]) if is_shell_text(command) else command
    for before, word in zip(("", *words), words):
        if before == "cd":
            folder = posixpath.join(folder, word)
            continue
        names = _module_files(word) if before == "-m" else (word,)
        paths = (posixpath.normpath(posixpath.join(folder, name)) for name in names)
        found = next(filter(None, map(programs.get, (*paths, word))), None)
        if found is not None:
            yield found


def _module_files(module: str) -> tuple[str, ...]:
    """The files that ``python -m`` may run for a dotted name."""
    path = module.replace(".", "/")
    return (f"{path}.py", f"{path}/__main__.py")


def shell_words(text: str) -> list[str]:
    """Split a shell command into words; ``&&``, ``;`` and the like are words of their own."""
    try:
        return list(shlex.shlex(text, posix=True, punctuation_chars=True))
    except ValueError:
        # quotes that do not close: the shell says so when it runs the text
        return []


def halve_batch(
    command: Sequence[str], options: ScriptOptions
) -> tuple[tuple[str, ...] | None, str]:
    """The command with half of the batch, and what was done; None, and why, where that fails."""
    if options.batch_of_all:
        return tuple(command), "the program divides its batch"
    if not options.batch:
        return None, "no option for the batch size was found, so each rank trains with a whole one"
    name = options.batch.rstrip("=")
    spelled = re.escape(name).replace("_", "[-_]").replace(r"\-", "[-_]")
    # a word ends at a space of a shell's text, or where the next word of a command begins
    given = re.compile(rf"(?<![^\s\0]){spelled}(?:=|\s+|\0|$)([^\s\0;&|]*)")
    halved = "\0".join(command)
    # of several commands each has its own: a smaller batch does no harm where nothing is trained
    found = list(given.finditer(halved))
    for match in reversed(found):
        half = _half(match[1])
        if half is None:
            return None, f"the batch size {match[1]} has no half"
        halved = f"{halved[: match.start(1)]}{half}{halved[match.end(1) :]}"
    if found:
        return tuple(halved.split("\0")), f"with {name} {_half(found[0][1])} on each"
    half = _half(str(options.batch_size or ""))
    if half is None or is_shell_text(command):
        return None, f"add {name} N to the command, with an even N, to compare two devices"
    return (*command, f"{options.batch}{half}"), f"with {name} {half} on each"


def _half(value: str) -> str | None:
    number = int(value) if value.isdigit() else 0
    return str(number // 2) if number and number % 2 == 0 else None
