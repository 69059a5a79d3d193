"""What the C++ core asks of an accelerator: hooks, and a guard that switches devices.

torch 2.10 and newer take both from Python; older ones only from C++ (see `native_guard`).
"""

import itertools

import torch

_kept = []
"""The C++ core does not own its hooks."""


def takes_hooks_from_python():
    """Whether this torch does: 2.10 and newer."""
    return hasattr(getattr(torch._C, "_acc", None), "PrivateUse1Hooks")


def install():
    """Give the core what it asks for."""
    if takes_hooks_from_python():
        _register_from_python()
    else:
        from torch_npu._device import native_guard

        native_guard.install()
    _run_backward_here()


def _run_backward_here():
    """Let `backward()` run in the thread that calls it, as it does on the cpu.

    Autograd gives an accelerator a thread of its own. Kernels run on the host and hold Python's
    lock, so that nothing would run at the same time, and for a small model the two changes of
    thread, with caches on another core, cost as much as all kernels of the backward pass. The
    switch belongs to the thread that imports torch_npu; in others autograd keeps to its own way.
    """
    torch._C._set_multithreading_enabled(False)


def _register_from_python():
    class Hooks(torch._C._acc.PrivateUse1Hooks):
        """What the core asks an accelerator."""

        def is_available(self):
            return torch.npu.is_available()

        def has_primary_context(self, index):
            return True

        def is_built(self):
            return True

    class Guard(torch._C._acc.DeviceGuard):
        """What the core asks to switch devices: there is one, so nothing is switched.

        Autograd asks for the type four times for each node of a backward pass; a callable that
        needs no Python frame answers soonest.
        """

        type_ = itertools.repeat(torch._C._autograd.DeviceType.PrivateUse1).__next__

    hooks, guard = Hooks(), Guard()
    torch._C._acc.register_python_privateuseone_hook(hooks)
    torch._C._acc.register_python_privateuseone_device_guard(guard)
    _kept.extend((hooks, guard))
