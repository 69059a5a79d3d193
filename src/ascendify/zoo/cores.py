"""The cores of this machine, and how many of them a rank has to itself."""

from __future__ import annotations

import os


def ranks_here() -> int:
    """The ranks that share this machine."""
    return int(os.environ.get("LOCAL_WORLD_SIZE", "1"))


def cores() -> int:
    """The cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def own_cores() -> int:
    """The cores of this rank: a launcher may have bound it to some, else they are shared out."""
    return max(1, min(cores(), (os.cpu_count() or 1) // ranks_here()))
