"""Record uses of CUDA that have no effect: queries, settings, mixed precision, variables.

On a machine without a GPU these do not fail. They report that there is no device, or switch
themselves off, and the program continues without it.
"""

import functools

import torch
from ascendify_runtime import cuda_variables, findings

from torch_npu._watch import user_lines

queries = {}
"""(function, line of the program) -> how often."""

_QUERIES = ("is_available", "device_count")
_SETTINGS = (
    "manual_seed",
    "manual_seed_all",
    "seed_all",
    "empty_cache",
    "memory_allocated",
    "max_memory_allocated",
    "memory_reserved",
    "max_memory_reserved",
    "reset_peak_memory_stats",
    "reset_max_memory_allocated",
    "is_bf16_supported",
    "ipc_collect",
)
_OWN = "torch_npu.npu.amp.older_scaler"
_NEEDS_DECISION = frozenset(("CUDA_VISIBLE_DEVICES",))


def begin():
    """Watch the original torch.cuda; functions replaced by transfer_to_npu are not watched."""
    for name in _QUERIES:
        _watch(name, "EMU-TORCH-CUDA-1", "torch.cuda.{} says that there is no GPU", "torch.npu.{}")
    for name in _SETTINGS:
        _watch(name, "EMU-TORCH-CUDA-2", "torch.cuda.{} has no effect", "torch.npu.{}")
    if hasattr(torch.amp, "GradScaler"):  # torch 2.3 and newer
        _watch_class(torch.amp.GradScaler, "device", "torch.amp.GradScaler")
    else:
        _watch_class(torch.cuda.amp.GradScaler, None, "torch.cuda.amp.GradScaler")
    _watch_class(torch.amp.autocast_mode.autocast, "device_type", "torch.autocast")


def _watch(name, code, found, instead):
    function = getattr(torch.cuda, name, None)
    if function is None:
        return

    @functools.wraps(function)
    def watched(*args, **kwargs):
        place = user_lines.calling_user_line()
        if place is not None:
            _note("torch.cuda." + name, place)
            todo = "Call {}.".format(instead.format(name))
            findings.record(code, findings.MANUAL, found.format(name), todo, place)
        return function(*args, **kwargs)

    setattr(torch.cuda, name, watched)


def _watch_class(class_, argument, called):
    """Watch new objects of a class; ``argument`` names the argument for the device, if any."""
    make = class_.__init__

    @functools.wraps(make)
    def made(self, *args, **kwargs):
        device = args[0] if args and argument else kwargs.get(argument, "cuda")
        make(self, *args, **kwargs)
        # the npu's own class is derived from CUDA's in older releases
        own = any(base.__module__ == _OWN for base in type(self).__mro__)
        if own or str(device).partition(":")[0] != "cuda":
            return
        place = user_lines.calling_user_line()
        if place is not None:
            _note("{}('cuda')".format(called), place)
            findings.record(
                "EMU-TORCH-CUDA-3",
                findings.MANUAL,
                "{} for cuda switches itself off: the network runs without it".format(called),
                "Make it for 'npu'.",
                place,
            )

    class_.__init__ = made


def _note(what, place):
    queries[what, place] = queries.get((what, place), 0) + 1


def first_query():
    """Return the line at which the program first tested for a GPU, None if it did not."""
    for what, place in queries:
        if what.rpartition(".")[2] in _QUERIES:
            return place
    return None


def record_variables():
    """Record which variables of CUDA the program has read or set."""
    for name, how, place in cuda_variables.touched:
        status = findings.MANUAL if name in _NEEDS_DECISION else findings.INFO
        found = "{} is {}, and nothing on an NPU machine {} it".format(
            name, how, "sets" if how == cuda_variables.READ else "reads"
        )
        todo = cuda_variables.todo(name)
        findings.record("EMU-TORCH-CUDA-4", status, found, todo, place)
