"""Makes "npu" a device type of torch: its name, its module, its methods, its hooks."""

import importlib
import itertools
import sys
import types

import torch

_QUANTISED = (torch.quint8, torch.quint4x2, torch.quint2x4, torch.qint32, torch.qint8)


class _Hooks(torch._C._acc.PrivateUse1Hooks):
    """What the C++ core asks an accelerator."""

    def is_available(self):
        return torch.npu.is_available()

    def has_primary_context(self, index):
        return True

    def is_built(self):
        return True


class _Guard(torch._C._acc.DeviceGuard):
    """What the C++ core asks to switch devices: there is one, so nothing is switched.

    Autograd asks for the type four times for each node of a backward pass; a callable that needs
    no Python frame answers soonest.
    """

    type_ = itertools.repeat(torch._C._autograd.DeviceType.PrivateUse1).__next__


_kept = []
"""The C++ core does not own its hooks."""


def name_device_type():
    """Let `torch.device("npu")` exist, and find out how the core keeps tensors of it."""
    torch.utils.rename_privateuse1_backend("npu")
    hooks, guard = _Hooks(), _Guard()
    torch._C._acc.register_python_privateuseone_hook(hooks)
    torch._C._acc.register_python_privateuseone_device_guard(guard)
    _kept.extend((hooks, guard))
    # the first tensor of a device type has the core call this function of its module, once; that
    # tensor is a probe, and the device shall count as unused until the user's first one
    placeholder = types.ModuleType("torch.npu")
    placeholder._lazy_init = lambda: None
    sys.modules["torch.npu"] = placeholder
    importlib.import_module("torch_npu._device.layout")
    del sys.modules["torch.npu"]


def run_backward_here():
    """Let `backward()` run in the thread that calls it, as it does on the cpu.

    Autograd gives an accelerator a thread of its own. Kernels run on the host and hold Python's
    lock, so that nothing would run at the same time, and for a small model the two changes of
    thread, with caches on another core, cost as much as all kernels of the backward pass.
    """
    torch._C._set_multithreading_enabled(False)


def register_module(module):
    """Make `module` `torch.npu`, and give tensors, modules and storages their methods."""
    torch._register_device_module("npu", module)
    sys.modules["torch.npu"] = module
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True,
        for_module=True,
        for_packed_sequence=True,
        for_storage=True,
        unsupported_dtype=list(_QUANTISED),
    )
