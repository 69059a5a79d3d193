"""Prove a port on this machine: train the original, one emulated device, and two of them.

Two devices see what one saw only where each trains with half of its batch, so the batch size in the
command is halved, where the program has an option for it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ascendify.launch.scaffold.options import ScriptOptions, read
from ascendify.programs.program import Programs
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
    for word in command:
        program = programs.get(word.removeprefix("./"))
        if program is not None:
            texts = [
                (port / path).read_text(encoding="utf-8", errors="replace")
                for path in program.files
            ]
            return read(texts)
    return ScriptOptions()


def halve_batch(
    command: Sequence[str], options: ScriptOptions
) -> tuple[tuple[str, ...] | None, str]:
    """The command with half of the batch, and what was done; None, and why, where that fails."""
    if options.batch_of_all:
        return tuple(command), "the program divides its batch"
    if not options.batch:
        return None, "no option for the batch size was found, so each rank trains with a whole one"
    name = options.batch.rstrip("=")
    spelled = re.compile(re.escape(name).replace("_", "[-_]").replace(r"\-", "[-_]") + r"(=(.*))?")
    words = list(command)
    for number, word in enumerate(words):
        found = spelled.fullmatch(word)
        if found is None:
            continue
        at = number if found[1] else number + 1
        value = found[2] if found[1] else (words[at] if at < len(words) else "")
        half = _half(value)
        if half is None:
            return None, f"the batch size {value} has no half"
        words[at] = f"{word[: found.start(1)]}={half}" if found[1] else half
        return tuple(words), f"with {name} {half} on each"
    half = _half(str(options.batch_size or ""))
    if half is None:
        return None, f"add {name} N to the command, with an even N, to compare two devices"
    return (*command, f"{options.batch}{half}"), f"with {name} {half} on each"


def _half(value: str) -> str | None:
    number = int(value) if value.isdigit() else 0
    return str(number // 2) if number and number % 2 == 0 else None
