"""The rank of this process, from the variables of the common launchers."""

import os
import sys

LAUNCHERS = ("HOROVOD_RANK", "OMPI_COMM_WORLD_RANK", "PMI_RANK")
"""Variables of the user's launchers, whose processes all get the same ASCENDIFY_* variables."""


_OF_TORCH = ("RANK", "WORLD_SIZE")
"""Variables of torchrun; RANK alone may have another meaning."""


def launched():
    """Whether a launcher of the user has started this process."""
    return any(name in os.environ for name in LAUNCHERS) or _is_by_torchrun()


def rank():
    """Return the rank from the process group or the launcher, else 0."""
    group = _process_group()
    if group is not None:
        return group
    for name in (*LAUNCHERS, *(_OF_TORCH[:1] if _is_by_torchrun() else ()), "RANK_ID"):
        value = os.environ.get(name, "")
        if value.isdigit():
            return int(value)
    return 0


def _is_by_torchrun():
    return all(os.environ.get(name, "").isdigit() for name in _OF_TORCH)


def _process_group():
    """Return the rank in PyTorch's process group: programs may start their ranks themselves."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is None or not getattr(distributed, "is_available", lambda: False)():
        return None
    return distributed.get_rank() if distributed.is_initialized() else None
