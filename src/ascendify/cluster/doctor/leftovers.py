"""Trainings that were left over: they hold devices and ports, and the next training fails.

A training process is a Python that has a device open, or that was started as a rank. Where its
launcher has gone it is left over; where it lives, somebody is training.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendify.cluster.doctor import proc
from ascendify.cluster.doctor.machine import Machine
from ascendify.cluster.doctor.observation import Observation, Subject

SUBJECT = Subject("left-over processes")
_RANK_VARIABLES = ("RANK_ID", "ASCEND_DEVICE_ID", "LOCAL_RANK")
_DEVICE = re.compile(r"/dev/davinci(\d+)$")
_PYTHON = re.compile(r"python|pypy|pt_main_thread")
_FIRST = 1
"""The process that adopts those whose parent has gone."""
_ADOPTS = ("systemd", "init", "tini", "dumb-init")
"""Others that do so for the processes below them."""
_LAUNCHES = re.compile(r"(ba|da|z|k)?sh$|python|pypy|torchrun|accelerate|mpirun|orted|prted")
"""What may have started a training although it is the first process, as in containers."""
_ENDED = "ZX"
"""States of processes that hold nothing any more."""


def look(machine: Machine) -> Iterator[Observation]:
    """Every training process, left over or not."""
    table = proc.processes(machine)
    if table is None:
        yield SUBJECT.not_seen("there is no /proc here")
        return
    ours = set(proc.ancestors(table, machine.pid))
    hidden = trainings = 0
    for process in table.values():
        if process.pid in ours or process.state in _ENDED or not _is_python(process):
            continue
        files = proc.open_files(machine, process.pid)
        variables = proc.environment(machine, process.pid)
        hidden += files is None or variables is None
        devices = _devices(files or ())
        rank = any(name in (variables or {}) for name in _RANK_VARIABLES)
        orphan = _has_lost_its_launcher(table, process)
        if devices or (rank and orphan):
            trainings += 1
            yield _told(process, devices, orphan)
    if not trainings:
        yield SUBJECT.ok("no training was left over")
    if hidden:
        yield SUBJECT.not_seen(
            f"{hidden} Python process{'es' if hidden > 1 else ''} of other users may not be looked "
            "into",
            "as root the doctor sees all of them",
        )


def _told(process: proc.Process, devices: list[str], orphan: bool) -> Observation:
    holds = f" holds device {', '.join(devices)}" if devices else " was started as a rank"
    if orphan:
        # without a device it may still hold a port, or be something else
        kind = SUBJECT.problem if devices else SUBJECT.warning
        return kind(
            f"{process}{holds}, and what started it has gone",
            f"kill {process.pid}; if it stays, kill -9 {process.pid}; then wait ten seconds",
        )
    return SUBJECT.warning(
        f"{process}{holds}: a training is running",
        "wait for it, use other devices, or end it if it is yours",
    )


def _has_lost_its_launcher(table: dict[int, proc.Process], process: proc.Process) -> bool:
    parent = table.get(process.parent)
    if parent is None:
        return _FIRST in table  # else the system hides the processes of others
    if parent.pid == _FIRST:
        return not _LAUNCHES.match(parent.name)
    return parent.name in _ADOPTS


def _is_python(process: proc.Process) -> bool:
    first = process.command.split(" ")[0].rpartition("/")[2]
    return bool(_PYTHON.match(process.name) or _PYTHON.match(first))


def _devices(files: Iterator[str] | tuple[str, ...] | list[str]) -> list[str]:
    found = (_DEVICE.match(file) for file in files)
    return sorted({match[1] for match in found if match}, key=int)
