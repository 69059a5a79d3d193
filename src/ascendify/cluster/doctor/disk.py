"""Examine disk space in folders that training writes to: logs, caches, core dumps."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ascendify.cluster.doctor.limits import soft_limit
from ascendify.cluster.doctor.machine import Machine
from ascendify.cluster.doctor.observation import Observation, Subject

SUBJECT = Subject("disk")
_LITTLE = 10 << 30
_TOO_LITTLE = 1 << 30
"""Bytes. Eight ranks write gigabytes of logs and compiled operators."""
_CORE_PATTERN = "/proc/sys/kernel/core_pattern"
_CORE = re.compile(r"core(\.\S*)?")


def observe(machine: Machine, has_npu: bool) -> Iterator[Observation]:
    """Examine each folder once, even if it has several uses."""
    seen: dict[Path, str] = {}
    for label, folder in _folders(machine, has_npu):
        existing = _nearest(machine, folder)
        if existing in seen:
            continue
        seen[existing] = label
        yield _space(machine, label, folder, existing)
    yield from _core_dumps(machine)


def _folders(machine: Machine, has_npu: bool) -> Iterator[tuple[str, str]]:
    environment = machine.environment
    yield "logs", environment.get("ASCEND_PROCESS_LOG_PATH") or f"{machine.home}/ascend/log"
    if has_npu:
        yield "logs of the driver", "/var/log/npu"
    yield "working folder", machine.folder
    yield "temporary files", environment.get("TMPDIR") or "/tmp"  # noqa: S108 (only its free space is read)
    for name in ("ASCEND_WORK_PATH", "ASCEND_CACHE_PATH"):
        if environment.get(name, "").startswith("/"):
            yield name, environment[name]


def _nearest(machine: Machine, folder: str) -> Path:
    """Return the folder, or its nearest existing parent: both are on the same disk."""
    path = machine.path(folder)
    while not path.is_dir() and path not in (machine.root, path.parent):
        path = path.parent
    return path


def _space(machine: Machine, label: str, folder: str, existing: Path) -> Observation:
    free = machine.free_bytes(existing)
    if free is None:
        return SUBJECT.not_seen(f"{label} ({folder}): cannot be read")
    text = f"{label} ({folder}): {free / (1 << 30):.1f} GB free"
    advice = f"delete old files under {folder}, or write elsewhere"
    if free < _TOO_LITTLE:
        return SUBJECT.problem(text, advice)
    return SUBJECT.warning(text, advice) if free < _LITTLE else SUBJECT.ok(text)


def _core_dumps(machine: Machine) -> Iterator[Observation]:
    names = machine.names(machine.folder) or ()
    cores = [name for name in names if _CORE.fullmatch(name) and _is_large(machine, name)]
    if cores:
        yield SUBJECT.warning(
            f"{len(cores)} core dump{'s' if len(cores) > 1 else ''} in {machine.folder}: "
            f"{', '.join(cores[:3])}",
            "read or delete them; ulimit -c 0 before a training writes no more",
        )
    pattern = (machine.text(_CORE_PATTERN) or "").strip()
    limit = soft_limit(machine, "Max core file size")
    if pattern and not pattern.startswith(("|", "/")) and limit not in (None, 0):
        yield SUBJECT.warning(
            "each rank that crashes writes a core dump as large as its memory where it runs",
            "ulimit -c 0 before the training, unless you want them",
        )


def _is_large(machine: Machine, name: str) -> bool:
    """Whether a file named core is large; folders and small sources have that name, too."""
    path = machine.path(f"{machine.folder}/{name}")
    return path.is_file() and path.stat().st_size > 1 << 20
