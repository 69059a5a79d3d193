"""Memory of the pretended GPU: it is never full, and all counters are zero."""

from collections import OrderedDict
from contextlib import contextmanager

from ascendify_startup import torch_pretend_errors
from ascendify_startup.torch_pretend_cuda import MEMORY, always, everywhere

_NOTHING = (
    "_record_memory_history",
    "_record_memory_history_legacy",
    "_save_memory_usage",
    "_save_segment_usage",
    "_set_allocator_settings",
    "caching_allocator_delete",
    "caching_allocator_enable",
    "empty_cache",
    "reset_accumulated_host_memory_stats",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_host_memory_stats",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
)
_ZERO = (
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
)
_REFUSED = ("caching_allocator_alloc", "change_current_allocator", "CUDAPluggableAllocator")
_COUNTED = (
    "active",
    "active_bytes",
    "allocated_bytes",
    "allocation",
    "inactive_split",
    "inactive_split_bytes",
    "requested_bytes",
    "reserved_bytes",
    "segment",
)
_SINGLE = (
    "max_split_size",
    "num_alloc_retries",
    "num_device_alloc",
    "num_device_free",
    "num_ooms",
    "num_sync_all_streams",
)


def begin():
    """Replace the functions that call CUDA's allocator."""
    import torch

    cuda = torch.cuda
    for names, value in ((_NOTHING, None), (_ZERO, 0)):
        for name in names:
            everywhere(cuda, name, always(value))
    for name in _REFUSED:
        everywhere(cuda, name, torch_pretend_errors.refuse("torch.cuda.memory." + name))
    for name, function in {
        "mem_get_info": always((MEMORY, MEMORY)),
        "memory_stats": lambda device=None: stats(),
        "memory_stats_as_nested_dict": lambda device=None: _nested(stats()),
        "host_memory_stats": lambda *args: OrderedDict(),
        "host_memory_stats_as_nested_dict": lambda: {},
        "memory_snapshot": lambda *args, **kwargs: [],
        "_snapshot": lambda *args, **kwargs: {"segments": [], "device_traces": []},
        "_dump_snapshot": _dump_snapshot,
        "list_gpu_processes": always("GPU:0\nno processes are running"),
        "get_allocator_backend": always("native"),
        "get_per_process_memory_fraction": always(1.0),
        "use_mem_pool": _in_a_pool,
        "caching_allocator_disabled": _in_a_pool,
        "MemPool": _Pool,
        "MemPoolContext": _Pool,
    }.items():
        everywhere(cuda, name, function)


def stats():
    """Return the allocator's counters under torch's names, all zero."""
    names = [
        "%s.%s.%s" % (counted, pool, one)
        for counted in _COUNTED
        for pool in ("all", "large_pool", "small_pool")
        for one in ("allocated", "current", "freed", "peak")
    ]
    names += [
        "oversize_%s.%s" % (what, one)
        for what in ("allocations", "segments")
        for one in ("allocated", "current", "freed", "peak")
    ]
    return OrderedDict((name, 0) for name in sorted(names + list(_SINGLE)))


def _nested(flat):
    nested = {}
    for name, value in flat.items():
        inner = nested
        *outer, last = name.split(".")
        for part in outer:
            inner = inner.setdefault(part, {})
        inner[last] = value
    return nested


def _dump_snapshot(filename="dump_snapshot.pickle", *args, **kwargs):
    import pickle

    with open(filename, "wb") as file:
        pickle.dump({"segments": [], "device_traces": []}, file)


@contextmanager
def _in_a_pool(*args, **kwargs):
    yield


class _Pool(object):
    """``torch.cuda.MemPool``, always empty."""

    def __init__(self, *args, **kwargs):
        self.id = (0, 1)
        self.allocator = None

    def use_count(self):
        """Return the number of users of the pool."""
        return 1

    def snapshot(self, *args, **kwargs):
        """Return the segments of the pool: none."""
        return []
