"""Prove a port on this machine: train the original, one emulated device, and two of them.

Two devices see what one saw only where each trains with half of its batch, so the batch size in the
command is halved, where the program has an option for it.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ascendify.launch.scaffold.options import ScriptOptions, read
from ascendify.processes.commands import is_shell_text
from ascendify.programs.program import Program, Programs
from ascendify.verify.judge import Evidence, Verdict, VerifyResult, judge_alone
from ascendify.verify.request import VerifyRequest
from ascendify.verify.session import try_migrated, verify

SEVERAL = 2


@dataclass(frozen=True)
class Proof:
    """What one training of the port has shown."""

    devices: int
    verdict: Verdict
    compared: bool = True
    """Whether its numbers were compared with the original's."""
    note: str = ""
    """Why they were not, or with which command."""
    differs: str = ""
    """How the numbers of several devices differ from those of one, where the devices trained one
    model together: dropout, for instance, is drawn on each device."""

    @property
    def holds(self) -> bool:
        """Whether it trained, and with equal numbers where these must be equal."""
        return bool(self.differs) or self.verdict.result is VerifyResult.PASS


def prove(
    request: VerifyRequest, programs: Programs, several: bool, progress: Callable[[str], None]
) -> tuple[Proof, ...]:
    """Train the original and one device; then, where the port is data-parallel, two devices."""
    first = Proof(request.devices, verify(request, progress))
    if not several or request.devices > 1 or not first.holds:
        return (first,)
    ranks = replace(request, devices=SEVERAL, folder=None)
    options = _options_of(request.migrated_command, request.migrated, programs)
    halved, note = halve_batch(request.migrated_command, options)
    if halved is None:
        return (first, Proof(SEVERAL, try_migrated(ranks, progress), compared=False, note=note))
    ranks = replace(ranks, migrated_command=halved)
    # the original has shown that it repeats itself: it agrees with one device
    second = verify(replace(ranks, repeat=False), progress, first.verdict.original)
    return (first, Proof(SEVERAL, second, note=note, differs=_difference(second)))


def _difference(verdict: Verdict) -> str:
    """How numbers differ, where that is all that speaks against several devices; else nothing."""
    if verdict.result is not VerifyResult.MISMATCH or verdict.migrated is None:
        return ""
    alone = judge_alone(verdict.migrated, verdict.report, Evidence())
    return "" if alone.reasons else verdict.reasons[0]


def _options_of(command: Sequence[str], port: Path, programs: Programs) -> ScriptOptions:
    """The options of the program that a command starts."""
    program = started_program(command, programs)
    if program is None:
        return ScriptOptions()
    return read(
        [(port / path).read_text(encoding="utf-8", errors="replace") for path in program.files]
    )


def started_program(command: Sequence[str], programs: Programs) -> Program | None:
    """Find the program of the project that a command starts, also from another folder of it."""
    folder = ""
    words = shell_words(command[2]) if is_shell_text(command) else command
    for before, word in zip(("", *words), words):
        if before == "cd":
            folder = posixpath.join(folder, word)
            continue
        found = programs.get(posixpath.normpath(posixpath.join(folder, word))) or programs.get(word)
        if found is not None:
            return found
    return None


def shell_words(text: str) -> list[str]:
    """The words of a shell's text; ``&&``, ``;`` and the like are words of their own."""
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
    found = given.search("\0".join(command))
    if found is not None:
        half = _half(found[1])
        if half is None:
            return None, f"the batch size {found[1]} has no half"
        halved = f"{found.string[: found.start(1)]}{half}{found.string[found.end(1) :]}"
        return tuple(halved.split("\0")), f"with {name} {half} on each"
    half = _half(str(options.batch_size or ""))
    if half is None or is_shell_text(command):
        return None, f"add {name} N to the command, with an even N, to compare two devices"
    return (*command, f"{options.batch}{half}"), f"with {name} {half} on each"


def _half(value: str) -> str | None:
    number = int(value) if value.isdigit() else 0
    return str(number // 2) if number and number % 2 == 0 else None
