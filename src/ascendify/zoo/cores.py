"""The CPU cores of this machine, and how many of them one rank may use."""

from __future__ import annotations

import os


def ranks_here() -> int:
    """Return the number of ranks on this machine."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


def cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def own_cores() -> int:
    """Return the number of cores for this rank: those it is bound to, or an equal share."""
    return max(1, min(cores(), (os.cpu_count() or 1) // ranks_here()))
