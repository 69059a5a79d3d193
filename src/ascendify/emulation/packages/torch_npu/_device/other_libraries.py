"""Register an npu kernel for each operator of other libraries, for torch before 2.5.

Newer torch accepts one kernel for all operators that have none (`dispatcher.fall_back`). Here one
is registered when a library written in Python registers a cpu kernel, and for compiled libraries
at import and whenever an operator is first looked up in `torch.ops`.
"""

import functools

import torch

from torch_npu._device import dispatcher
from torch_npu._device.keys import NPU

_SERVED_ELSEWHERE = ("aten", "c10d")
"""Namespaces whose operators get npu kernels elsewhere."""


def follow(run):
    """Use `run(name, *args, **kwargs)` for operators with a cpu kernel and no npu kernel.

    Args:
        run: Function of the name of an operator, such as `torchvision::nms`, and of its arguments.
    """
    torch.library.Library.impl = _serving_too(torch.library.Library.impl, run)
    namespace = torch._ops._OpNamespace
    namespace.__getattr__ = _serving_first(namespace.__getattr__, run)
    _serve("", run)


def _serving_too(impl, run):
    @functools.wraps(impl)
    def implement(self, op_name, fn, dispatch_key="", **options):
        made = impl(self, op_name, fn, dispatch_key, **options)
        if (dispatch_key or self.dispatch_key) == "CPU":
            name = op_name if isinstance(op_name, str) else op_name.name()
            name = f"{self.ns}::{name.rpartition('::')[2]}"
            if _is_unserved(name):
                # with the library's own object, so that both kernels are removed together
                self.m.impl(name, NPU, functools.partial(run, name))
        return made

    return implement


def _serving_first(look_up, run):
    @functools.wraps(look_up)
    def look_up_and_serve(self, op_name):
        found = look_up(self, op_name)
        if isinstance(found, torch._ops.OpOverloadPacket):
            _serve(f"{self.name}::", run)
        return found

    return look_up_and_serve


def _serve(prefix, run):
    """Register a whole library: the backward pass of an operator calls others without a lookup."""
    for name in torch._C._dispatch_get_registrations_for_dispatch_key("CPU"):
        if name.startswith(prefix) and _is_unserved(name):
            dispatcher.implement(name, functools.partial(run, name), NPU)


def _is_unserved(name):
    """Whether a call with npu tensors would fail: no npu kernel, and none for all devices."""
    if name.partition("::")[0] in _SERVED_ELSEWHERE:
        return False
    return not torch._C._dispatch_has_computed_kernel_for_dispatch_key(name, NPU)
