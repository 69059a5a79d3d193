"""Parse the tables of ``npu-smi info``, in the widths that different releases print."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.catalog import hardware
from ascendify.cluster.doctor.machine import Machine

_PROGRAM = "npu-smi"
_FOLDERS = ("/usr/local/bin", "/usr/local/sbin", "/usr/bin")
"""Folders that the driver installs it in; not all are on every user's PATH."""
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
class NpuSmiInfo:
    """The output of ``npu-smi info``, parsed."""

    program: str | None = None
    """None when npu-smi is not installed."""
    driver: str = ""
    chips: tuple[Chip, ...] = ()
    holders: tuple[Holder, ...] = ()
    failure: str = ""
    """Why npu-smi printed no devices; empty when it did."""

    @property
    def hardware(self) -> str | None:
        """The hardware family of the devices; None when it is unknown."""
        names = {chip.name for chip in self.chips}
        if len(names) != 1:
            return None
        (name,) = names
        if name.lower() == "ascend910" and any(chip.chip for chip in self.chips):
            return "A3"  # two devices in one NPU
        family = hardware.of_chip(name)
        return None if family is None else family.name


def query(machine: Machine) -> NpuSmiInfo:
    """Run ``npu-smi info`` and parse its output."""
    program = machine.which(_PROGRAM) or next(
        (
            str(machine.path(f"{folder}/{_PROGRAM}"))
            for folder in _FOLDERS
            if machine.exists(f"{folder}/{_PROGRAM}")
        ),
        None,
    )
    if program is None:
        return NpuSmiInfo()
    ran = machine.run((program, "info"))
    if ran.failure:
        return NpuSmiInfo(program, failure=ran.failure)
    if ran.code:
        return NpuSmiInfo(
            program, failure=_last_line(ran.output) or f"npu-smi: exit status {ran.code}"
        )
    table = parse(ran.output)
    failure = "" if table.chips else _last_line(ran.output) or "npu-smi lists no device"
    return NpuSmiInfo(program, table.driver, table.chips, table.holders, failure)


def parse(text: str) -> NpuSmiInfo:
    """Parse the tables of ``npu-smi info``."""
    version = _VERSION.search(text)
    devices, _, processes = text.partition("Process id")
    return NpuSmiInfo(
        driver=version[2] if version else "",
        chips=tuple(_chips(devices)),
        holders=tuple(_holders(processes)),
    )


def health(machine: Machine, program: str, npu: int) -> list[str]:
    """Return the health details of one NPU as short lines; empty when npu-smi does not answer."""
    ran = machine.run((program, "info", "-t", "health", "-i", str(npu)))
    found = re.findall(r"^\s*(Health(?: Status)?|Error \w+)\s*:\s*(.+?)\s*$", ran.output, re.M)
    return [f"{label} {value}" for label, value in found if value not in ("NA", "OK")]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def _chips(text: str) -> Iterator[Chip]:
    """Parse devices; each has two lines: name and health, then the chip and its memory."""
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
