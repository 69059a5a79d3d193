"""Functions and classes of Python that the vendor does not support, told where they are called.

What is written in Python is taken apart before it reaches the device, so the kernels alone do not
show it.
"""

import functools
import inspect
import os
import sys

import torch
from ascendify_runtime import findings, hardware
from ascendify_startup import imports

from torch_npu._watch import places, table

_WITHOUT_WAY_AROUND = frozenset(
    ("torch.nn.DataParallel", "torch.nn.parallel.DataParallel", "torch.nn.parallel.data_parallel")
    + ("torch.utils.cpp_extension.CUDAExtension",)
)
_INFINITY_TESTS = ("isinf", "isnan", "isfinite")
_INFINITY_ADVICE = "Ask torch_npu.npu.utils.npu_check_overflow(tensor) instead."
_USUAL_ADVICE = "Write it with operators the NPU has, or keep it on the host."


def begin():
    """Watch every name the catalogue lists."""
    for name, note in table.CALLABLES.items():
        _watch(name, note)
    if not hardware.model().inf_nan:
        for name in _INFINITY_TESTS:
            for owner in (torch, torch.Tensor):
                setattr(owner, name, _infinity_test(name, getattr(owner, name)))


def _watch(name, note):
    module_name, _, attribute = name.rpartition(".")

    def watch():
        module = sys.modules[module_name]
        found = getattr(module, attribute, None)
        if inspect.isclass(found):
            _watch_class(found, name, note)
        elif callable(found):
            setattr(module, attribute, _telling(found, name, note))

    # not before the program does: some modules print what they miss
    imports.after(module_name, watch)


def _watch_class(class_, name, note):
    make = class_.__init__

    @functools.wraps(make)
    def made(self, *args, **kwargs):
        if type(self) is class_:
            _tell(name, note)
        make(self, *args, **kwargs)

    class_.__init__ = made


def _telling(function, name, note):
    @functools.wraps(function)
    def told(*args, **kwargs):
        _tell(name, note)
        return function(*args, **kwargs)

    return told


def _tell(name, note):
    place = places.asked_by_user()
    if place is None:
        return
    status = findings.BLOCKER if name in _WITHOUT_WAY_AROUND else findings.MANUAL
    found = "{} is used, and the vendor lists it as not supported".format(name)
    todo = (note[:1].upper() + note[1:] + ".") if note else _USUAL_ADVICE
    findings.record_once_a_line("EMU-TORCH-OP-1", status, found, todo, place)


def _infinity_test(name, function):
    @functools.wraps(function)
    def told(tensor, *args, **kwargs):
        if tensor.device.type == "npu":
            place = places.asked_by_user()
            if place is not None:
                found = "torch.{} looks for values the 910A does not have: it saturates".format(
                    name
                )
                findings.record_once_a_line(
                    "EMU-TORCH-SOC-2", findings.MANUAL, found, _INFINITY_ADVICE, place
                )
        return function(tensor, *args, **kwargs)

    return told
