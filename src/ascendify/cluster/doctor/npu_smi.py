"""What ``npu-smi`` says: its tables, read by their lines, in all the widths releases print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.catalog import hardware
from ascendify.cluster.doctor.machine import Machine

_PROGRAM = "npu-smi"
_FOLDERS = ("/usr/local/bin", "/usr/local/sbin", "/usr/bin")
"""Where the driver puts it; not all of them are on every user's PATH."""
_VERSION = re.compile(r"npu-smi\s+(\S+)\s+Version:\s*(\S+)")
_MEMORY = re.compile(r"(\d+)\s*/\s*(\d+)")


@dataclass(frozen=True)
class Chip:
    """One device."""

    npu: int
    chip: int
    name: str
    health: str
    used_mb: int = 0
    total_mb: int = 0


@dataclass(frozen=True)
class Holder:
    """A process that uses a device."""

    npu: int
    pid: int
    name: str


@dataclass(frozen=True)
class Smi:
    """The answer of ``npu-smi info``."""

    program: str | None = None
    """None: it is not installed."""
    driver: str = ""
    chips: tuple[Chip, ...] = ()
    holders: tuple[Holder, ...] = ()
    failure: str = ""
    """Why there is no table; empty when there is one."""

    @property
    def hardware(self) -> str | None:
        """The family of the devices, None when it is not known."""
        names = {chip.name for chip in self.chips}
        if len(names) != 1:
            return None
        (name,) = names
        if name.lower() == "ascend910" and any(chip.chip for chip in self.chips):
            return "A3"  # two devices in one NPU
        family = hardware.of_chip(name)
        return None if family is None else family.name


def ask(machine: Machine) -> Smi:
    """Ask for the table of all devices."""
    program = machine.which(_PROGRAM) or next(
        (
            str(machine.path(f"{folder}/{_PROGRAM}"))
            for folder in _FOLDERS
            if machine.exists(f"{folder}/{_PROGRAM}")
        ),
        None,
    )
    if program is None:
        return Smi()
    ran = machine.run((program, "info"))
    if ran.failure:
        return Smi(program, failure=ran.failure)
    if ran.code:
        return Smi(program, failure=_last_line(ran.output) or f"npu-smi ended with {ran.code}")
    table = parse(ran.output)
    failure = "" if table.chips else _last_line(ran.output) or "npu-smi lists no device"
    return Smi(program, table.driver, table.chips, table.holders, failure)


def parse(text: str) -> Smi:
    """The tables of ``npu-smi info``."""
    version = _VERSION.search(text)
    devices, _, processes = text.partition("Process id")
    return Smi(
        driver=version[2] if version else "",
        chips=tuple(_chips(devices)),
        holders=tuple(_holders(processes)),
    )


def health(machine: Machine, program: str, npu: int) -> list[str]:
    """``-t health`` of one NPU, as short lines; empty when it does not answer."""
    ran = machine.run((program, "info", "-t", "health", "-i", str(npu)))
    found = re.findall(r"^\s*(Health(?: Status)?|Error \w+)\s*:\s*(.+?)\s*$", ran.output, re.M)
    return [f"{label} {value}" for label, value in found if value not in ("NA", "OK")]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _chips(text: str) -> Iterator[Chip]:
    """A device has two lines: name and health, then the chip and its memory."""
    first: list[str] | None = None
    for line in text.splitlines():
        cells = _cells(line)
        if not line.lstrip().startswith("|") or len(cells) < 3 or not cells[0][:1].isdigit():
            continue
        if first is None:
            first = cells
            continue
        npu, _, name = first[0].partition(" ")
        memory = _MEMORY.findall(cells[2])
        used, total = map(int, memory[-1]) if memory else (0, 0)
        chip = cells[0].split()[0]
        yield Chip(
            int(npu), int(chip) if chip.isdigit() else 0, name.strip(), first[1], used, total
        )
        first = None


def _holders(text: str) -> Iterator[Holder]:
    for line in text.splitlines():
        cells = _cells(line)
        if len(cells) >= 3 and cells[0][:1].isdigit() and cells[1].isdigit():
            yield Holder(int(cells[0].split()[0]), int(cells[1]), cells[2])


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip(" |+-=\t")]
    return lines[-1][:200] if lines else ""
