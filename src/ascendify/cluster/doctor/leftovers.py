"""Find left-over training processes: they hold devices and ports, so the next training fails.

A training process is a Python that has a device open, or that was started as a rank. It is left
over if its launcher has exited; otherwise somebody is training.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendify.cluster.doctor import process_table
from ascendify.cluster.doctor.machine import Machine
from ascendify.cluster.doctor.observation import Observation, Subject

SUBJECT = Subject("left-over processes")
_RANK_VARIABLES = ("RANK_ID", "ASCEND_DEVICE_ID", "LOCAL_RANK")
_DEVICE = re.compile(r"/dev/davinci(\d+)$")
_PYTHON = re.compile(r"python|pypy|pt_main_thread")
_FIRST = 1
"""The process that becomes the parent of processes whose parent has exited."""
_ADOPTS = ("systemd", "init", "tini", "dumb-init")
"""Programs that, like init, adopt the processes below them."""
_LAUNCHES = re.compile(r"(ba|da|z|k)?sh$|python|pypy|torchrun|accelerate|mpirun|orted|prted")
"""Programs that may have started a training although they are process 1, as in containers."""
_EXITED = "ZX"
"""States of processes that have exited and hold nothing."""


def observe(machine: Machine) -> Iterator[Observation]:
    """Report every training process, left over or not."""
    table = process_table.processes(machine)
    if table is None:
        yield SUBJECT.not_seen("there is no /proc here")
        return
    ours = set(process_table.ancestors(table, machine.pid))
    unreadable = trainings = 0
    for process in table.values():
        if process.pid in ours or process.state in _EXITED or not _is_python(process):
            continue
        files = process_table.open_files(machine, process.pid)
        variables = process_table.environment(machine, process.pid)
        unreadable += files is None or variables is None
        devices = _devices(files or ())
        rank = any(name in (variables or {}) for name in _RANK_VARIABLES)
        orphan = _has_lost_its_launcher(table, process)
        if devices or (rank and orphan):
            trainings += 1
            yield _describe(process, devices, orphan)
    if not trainings:
        yield SUBJECT.ok("no training was left over")
    if unreadable:
        yield SUBJECT.not_seen(
            f"{unreadable} Python process{'es' if unreadable > 1 else ''} of other users cannot be "
            "read",
            "run the doctor as root to see all of them",
        )


def _describe(process: process_table.ProcessInfo, devices: list[str], orphan: bool) -> Observation:
    holds = f" holds device {', '.join(devices)}" if devices else " was started as a rank"
    if orphan:
        # without a device it may still hold a port, or be something else
        kind = SUBJECT.problem if devices else SUBJECT.warning
        return kind(
            f"{process}{holds}, and its launcher has exited",
            f"kill {process.pid}; if it stays, kill -9 {process.pid}; then wait ten seconds",
        )
    return SUBJECT.warning(
        f"{process}{holds}: a training is running",
        "wait for it, use other devices, or stop it if it is yours",
    )


def _has_lost_its_launcher(
    table: dict[int, process_table.ProcessInfo], process: process_table.ProcessInfo
) -> bool:
    parent = table.get(process.parent)
    if parent is None:
        return _FIRST in table  # otherwise /proc does not list the processes of other users
    if parent.pid == _FIRST:
        return not _LAUNCHES.match(parent.name)
    return parent.name in _ADOPTS


def _is_python(process: process_table.ProcessInfo) -> bool:
    first = process.command.split(" ")[0].rpartition("/")[2]
    return bool(_PYTHON.match(process.name) or _PYTHON.match(first))


def _devices(files: Iterator[str] | tuple[str, ...] | list[str]) -> list[str]:
    found = (_DEVICE.match(file) for file in files)
    return sorted({match[1] for match in found if match}, key=int)
