"""What is left of CUDA and runs without a word: questions, settings, mixed precision, variables.

On a machine without a GPU these do not fail. They say that there is no device, or switch
themselves off, and the program goes on without it.
"""

import functools

import torch
from ascendify_runtime import cuda_variables, findings

from torch_npu._watch import places

probes = {}
"""(what was called, place) -> how often."""

_QUESTIONS = ("is_available", "device_count")
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
    """Watch the original torch.cuda; what transfer_to_npu puts in its place is no leftover."""
    for name in _QUESTIONS:
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
        place = places.asked_by_user()
        if place is not None:
            _note("torch.cuda." + name, place)
            todo = "Call {}.".format(instead.format(name))
            findings.record(code, findings.MANUAL, found.format(name), todo, place)
        return function(*args, **kwargs)

    setattr(torch.cuda, name, watched)


def _watch_class(class_, argument, called):
    """Watch what is made; ``argument`` names its first argument, the device, if it has that one."""
    make = class_.__init__

    @functools.wraps(make)
    def made(self, *args, **kwargs):
        device = args[0] if args and argument else kwargs.get(argument, "cuda")
        make(self, *args, **kwargs)
        # the npu's own class comes from CUDA's where that is all there is
        own = any(base.__module__ == _OWN for base in type(self).__mro__)
        if own or str(device).partition(":")[0] != "cuda":
            return
        place = places.asked_by_user()
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
    probes[what, place] = probes.get((what, place), 0) + 1


def first_question():
    """Where the program first asked for a GPU and was told that there is none."""
    for what, place in probes:
        if what.rpartition(".")[2] in _QUESTIONS:
            return place
    return None


def tell_variables():
    """Tell which variables of CUDA the program has read or set."""
    for name, how, place in cuda_variables.touched:
        status = findings.MANUAL if name in _NEEDS_DECISION else findings.INFO
        found = "{} is {}, and nothing on an NPU machine {} it".format(
            name, how, "sets" if how == cuda_variables.READ else "reads"
        )
        todo = cuda_variables.todo(name)
        findings.record("EMU-TORCH-CUDA-4", status, found, todo, place)
