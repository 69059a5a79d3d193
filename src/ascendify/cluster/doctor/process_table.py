"""Read the processes of a machine from /proc."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.cluster.doctor.machine import Machine

_FOLDER = "/proc"
_SHOWN = 80
"""Characters of a command that are shown."""


@dataclass(frozen=True)
class ProcessInfo:
    """One process."""

    pid: int
    parent: int
    name: str
    state: str
    command: str

    def __str__(self) -> str:
        shown = self.command if len(self.command) <= _SHOWN else f"{self.command[:_SHOWN]}..."
        return f"process {self.pid} ({shown or self.name})"


def processes(machine: Machine) -> dict[int, ProcessInfo] | None:
    """Return every readable process by its id; None where there is no /proc."""
    names = machine.names(_FOLDER)
    if not names:
        return None
    found = (_process(machine, int(name)) for name in names if name.isdigit())
    return {process.pid: process for process in found if process is not None}


def environment(machine: Machine, pid: int) -> dict[str, str] | None:
    """Return the variables a process was started with; None when they cannot be read."""
    text = machine.text(f"{_FOLDER}/{pid}/environ")
    if text is None:
        return None
    pairs = (entry.partition("=") for entry in text.split("\0") if entry)
    return {name: value for name, _, value in pairs}


def open_files(machine: Machine, pid: int) -> list[str] | None:
    """Return the paths of a process's open files; None when they cannot be read."""
    folder = f"{_FOLDER}/{pid}/fd"
    names = machine.names(folder)
    if names is None:
        return None
    return [link for name in names if (link := machine.link(f"{folder}/{name}"))]


def ancestors(table: dict[int, ProcessInfo], pid: int) -> Iterator[int]:
    """Yield the ids of a process and its ancestors, as far as they are known."""
    seen: set[int] = set()
    while pid not in seen and pid > 0:
        seen.add(pid)
        yield pid
        pid = table[pid].parent if pid in table else 0


def _process(machine: Machine, pid: int) -> ProcessInfo | None:
    text = machine.text(f"{_FOLDER}/{pid}/stat")
    # the name is in brackets and may have any character, brackets too
    found = re.match(r"\d+ \((.*)\) (\S) (\d+)", text or "", re.S)
    if found is None:
        return None
    arguments = (machine.text(f"{_FOLDER}/{pid}/cmdline") or "").split("\0")
    command = " ".join(argument for argument in arguments if argument)
    printable = "".join(letter if letter.isprintable() else " " for letter in command)
    return ProcessInfo(pid, int(found[3]), found[1], found[2], printable)
