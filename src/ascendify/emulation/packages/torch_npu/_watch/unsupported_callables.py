"""Record calls of Python functions and classes that the vendor does not support.

Python code calls several operators on the device, so the kernels alone do not show it.
"""

import functools
import inspect
import sys

import torch
from ascendify_runtime import findings, hardware
from ascendify_startup import import_hooks

from torch_npu._watch import support_table, user_lines

_WITHOUT_ALTERNATIVE = frozenset(
    ("torch.nn.DataParallel", "torch.nn.parallel.DataParallel", "torch.nn.parallel.data_parallel")
    + ("torch.utils.cpp_extension.CUDAExtension",)
)
_INFINITY_TESTS = ("isinf", "isnan", "isfinite")
_INFINITY_ADVICE = "Call torch_npu.npu.utils.npu_check_overflow(tensor) instead."
_USUAL_ADVICE = "Write it with operators the NPU has, or keep it on the host."


def begin():
    """Watch every name the catalogue lists."""
    for name, note in support_table.CALLABLES.items():
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
            setattr(module, attribute, _recording(found, name, note))

    # after the program imports it: some modules print what they lack
    import_hooks.after(module_name, watch)


def _watch_class(class_, name, note):
    make = class_.__init__

    @functools.wraps(make)
    def made(self, *args, **kwargs):
        if type(self) is class_:
            _record(name, note)
        make(self, *args, **kwargs)

    class_.__init__ = made


def _recording(function, name, note):
    @functools.wraps(function)
    def recorded(*args, **kwargs):
        _record(name, note)
        return function(*args, **kwargs)

    return recorded


def _record(name, note):
    place = user_lines.calling_user_line()
    if place is None:
        return
    status = findings.BLOCKER if name in _WITHOUT_ALTERNATIVE else findings.MANUAL
    found = "{} is used, and the vendor lists it as not supported".format(name)
    todo = (note[:1].upper() + note[1:] + ".") if note else _USUAL_ADVICE
    findings.record_once_a_line("EMU-TORCH-OP-1", status, found, todo, place)


def _infinity_test(name, function):
    @functools.wraps(function)
    def recorded(tensor, *args, **kwargs):
        if tensor.device.type == "npu":
            place = user_lines.calling_user_line()
            if place is not None:
                found = "torch.{} tests for values that a 910A does not have: it saturates".format(
                    name
                )
                findings.record_once_a_line(
                    "EMU-TORCH-SOC-2", findings.MANUAL, found, _INFINITY_ADVICE, place
                )
        return function(tensor, *args, **kwargs)

    return recorded
