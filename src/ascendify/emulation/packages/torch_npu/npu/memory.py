"""`torch.npu`: how much memory npu tensors hold, in the terms of torch.cuda's statistics.

Bytes are those of live storages. There is no cache of freed blocks, so what is reserved is the
largest amount held since `empty_cache()`.
"""

import collections
import contextlib
import pickle
import warnings
from pathlib import Path

from ascendify_runtime import hardware

from torch_npu._device.accounting import counters
from torch_npu._device.devices import initialise
from torch_npu.npu.allocators import (  # noqa: F401
    NPUPluggableAllocator,
    caching_allocator_alloc,
    caching_allocator_delete,
    change_current_allocator,
    get_allocator_backend,
    host_empty_cache,
)
from torch_npu.npu.devices import _checked, device_count
from torch_npu.npu.unsupported import raising

_state = {"fraction": 1.0}


def memory_stats(device=None):
    """Every figure under the key that torch.cuda uses for it."""
    return collections.OrderedDict(sorted(_flat("", memory_stats_as_nested_dict(device))))


def _flat(prefix, value):
    if not isinstance(value, dict):
        yield prefix, value
        return
    for name, inner in value.items():
        yield from _flat(f"{prefix}.{name}" if prefix else name, inner)


def memory_stats_as_nested_dict(device=None):
    """`memory_stats` before its keys are joined."""
    _checked(device)
    bytes_ = _figures(counters.current, counters.peak, counters.allocated, counters.freed)
    blocks = _figures(
        counters.blocks, counters.peak_blocks, counters.allocated_blocks, counters.freed_blocks
    )
    reserved = _figures(
        counters.reserved, counters.peak_reserved, counters.peak_reserved,
        counters.peak_reserved - counters.reserved,
    )  # fmt: skip
    none = _figures(0, 0, 0, 0)
    return {
        "allocation": blocks,
        "segment": blocks,
        "active": blocks,
        "inactive_split": none,
        "allocated_bytes": bytes_,
        "reserved_bytes": reserved,
        "active_bytes": bytes_,
        "inactive_split_bytes": none,
        "requested_bytes": bytes_,
        "oversize_allocations": _figure(0, 0, 0, 0),
        "oversize_segments": _figure(0, 0, 0, 0),
        "num_alloc_retries": 0,
        "num_ooms": 0,
        "max_split_size": -1,
    }


def _figure(current, peak, allocated, freed):
    return {"current": current, "peak": peak, "allocated": allocated, "freed": freed}


def _figures(*values):
    return {
        "all": _figure(*values),
        "large_pool": _figure(*values),
        "small_pool": _figure(0, 0, 0, 0),
    }


def memory_allocated(device=None):
    """Bytes held by tensors now."""
    _checked(device)
    return counters.current


def max_memory_allocated(device=None):
    """The most bytes held by tensors since the start or the last reset."""
    _checked(device)
    return counters.peak


def memory_reserved(device=None):
    """Bytes taken from the device."""
    _checked(device)
    return counters.reserved


def max_memory_reserved(device=None):
    """The most bytes taken from the device since the start or the last reset."""
    _checked(device)
    return counters.peak_reserved


def memory_cached(device=None):
    """The old name of `memory_reserved`."""
    _deprecated("memory_cached", "memory_reserved")
    return memory_reserved(device)


def max_memory_cached(device=None):
    """The old name of `max_memory_reserved`."""
    _deprecated("max_memory_cached", "max_memory_reserved")
    return max_memory_reserved(device)


def _deprecated(old, new):
    warnings.warn(
        f"torch.npu.{old} has been renamed to torch.npu.{new}", FutureWarning, stacklevel=3
    )


def reset_peak_memory_stats(device=None):
    """Let the peaks start again from what is held now."""
    _checked(device)
    counters.reset_peak()


def reset_accumulated_memory_stats(device=None):
    """Let the sums over time start again."""
    _checked(device)
    counters.reset_accumulated()


def reset_max_memory_allocated(device=None):
    """The old name of `reset_peak_memory_stats`."""
    _deprecated("reset_max_memory_allocated", "reset_peak_memory_stats")
    reset_peak_memory_stats(device)


def reset_max_memory_cached(device=None):
    """The old name of `reset_peak_memory_stats`."""
    _deprecated("reset_max_memory_cached", "reset_peak_memory_stats")
    reset_peak_memory_stats(device)


def mem_get_info(device=None):
    """Free and total bytes of the device."""
    _checked(device)
    total = hardware.model().memory
    return total - counters.reserved, total


def memory_summary(device=None, abbreviated=False):
    """The main figures as a table."""
    lines = ["|  Metric               |        Current |           Peak |", "|" + "-" * 57 + "|"]
    for name, current, peak in (
        ("Allocated memory", counters.current, counters.peak),
        ("Reserved memory", counters.reserved, counters.peak_reserved),
        ("Allocations", counters.blocks, counters.peak_blocks),
    ):
        lines.append(f"|  {name:20} | {current:14} | {peak:14} |")
    title = f"|  NPU memory summary, device ID {_checked(device)} (emulated)"
    return "\n".join([title, *lines]) + "\n"


def memory_snapshot(mempool_id=None):
    """One segment for each storage would say nothing about fragments: there are none."""
    return []


def _record_memory_history(enabled="all", *args, **kwargs):
    """Record who allocates; checked only."""
    if enabled not in (None, False, True, "state", "all"):
        raise RuntimeError(f"expected enabled to be None, 'state' or 'all', found {enabled!r}")


def _snapshot(device=None, augment_with_fx_traces=False):
    """Segments and history as torch's viewer of memory reads them: there are none."""
    traces = [[] for _ in range(device_count())]
    return {"segments": memory_snapshot(), "device_traces": traces, "allocator_settings": {}}


def _dump_snapshot(filename="dump_snapshot.pickle", augment_with_fx_traces=False):
    """Write `_snapshot()` to a file."""
    Path(filename).write_bytes(pickle.dumps(_snapshot()))


_save_segment_usage = raising("memory._save_segment_usage", "draws segments of the allocator")
_save_memory_usage = raising("memory._save_memory_usage", "draws segments of the allocator")


def empty_cache():
    """Give back what is reserved and not in use."""
    counters.empty_cache()


def set_per_process_memory_fraction(fraction, device=None):
    """Limit the memory of this process; recorded only."""
    initialise()
    if not isinstance(fraction, float):
        raise TypeError("Invalid type for fraction argument, must be `float`")
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    _state["fraction"] = fraction


def get_per_process_memory_fraction(device=None):
    """The limit that was set."""
    return _state["fraction"]


def host_memory_stats():
    """Pinned host memory: there is none, host memory is all alike."""
    return collections.OrderedDict()


def host_memory_stats_as_nested_dict():
    """`host_memory_stats` before its keys are joined."""
    return {}


def reset_accumulated_host_memory_stats():
    """Nothing is counted for pinned memory."""


def reset_peak_host_memory_stats():
    """Nothing is counted for pinned memory."""


def ipc_collect():
    """Give back memory that other processes have released: none is shared."""


class MemPool:
    """A pool that allocations may be taken from; all come from the host's memory."""

    def __init__(self, *args, **kwargs):
        self.id = (0, id(self))

    def use_count(self):
        """How many hold the pool: the one who asks."""
        return 1

    def snapshot(self):
        """The segments of the pool, as `memory_snapshot`."""
        return memory_snapshot()


@contextlib.contextmanager
def use_mem_pool(pool, device=None):
    """Context manager that takes allocations from a pool."""
    yield pool
