"""Examine the limits that processes inherit from the shell."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendify.cluster.doctor.machine import Machine
from ascendify.cluster.doctor.observation import Observation, Subject

SUBJECT = Subject("limits")
_FILE = "/proc/self/limits"
_FILES = "Max open files"
_LOCKED = "Max locked memory"
_FEW_FILES = 4096
_PLENTY_OF_FILES = 65535
_ENOUGH_LOCKED = 1 << 30
UNLIMITED = -1


def soft_limit(machine: Machine, name: str) -> int | None:
    """Return the soft limit, ``UNLIMITED`` for none; None when it cannot be read."""
    text = machine.text(_FILE) or ""
    found = re.search(rf"^{re.escape(name)}\s+(unlimited|\d+)\s", text, re.M)
    if found is None:
        return None
    return UNLIMITED if found[1] == "unlimited" else int(found[1])


def observe(machine: Machine, has_npu: bool) -> Iterator[Observation]:
    """Examine the limit of open files and, on machines with NPUs, of locked memory."""
    files = soft_limit(machine, _FILES)
    if files is None:
        yield SUBJECT.not_seen("there is no /proc/self/limits here")
        return
    shown = "no limit" if files == UNLIMITED else str(files)
    if 0 <= files < _FEW_FILES:
        yield SUBJECT.warning(
            f"open files: {shown}; ranks with data workers and many connections need more",
            f"ulimit -n {_PLENTY_OF_FILES}, or nofile in /etc/security/limits.conf",
        )
    else:
        yield SUBJECT.ok(f"open files: {shown}")
    locked = soft_limit(machine, _LOCKED)
    if has_npu and locked is not None and 0 <= locked < _ENOUGH_LOCKED:
        yield SUBJECT.warning(
            f"locked memory: {locked} bytes; pinned buffers and the device network need more",
            "ulimit -l unlimited, or memlock in /etc/security/limits.conf",
        )
