"""Objects that the C++ core needs for an accelerator: hooks, and a guard that switches devices.

torch 2.10 and newer accept both from Python; older releases only from C++ (see `native_guard`).
"""

import itertools

import torch

_kept = []
"""References to the hooks, which the C++ core does not hold."""


def takes_hooks_from_python():
    """Whether this torch accepts hooks from Python: 2.10 and newer."""
    return hasattr(getattr(torch._C, "_acc", None), "PrivateUse1Hooks")


def install():
    """Register hooks and guard."""
    if takes_hooks_from_python():
        _register_from_python()
    else:
        from torch_npu._device import native_guard

        native_guard.install()
    _run_backward_here()


def _run_backward_here():
    """Make `backward()` run in the calling thread, as on the cpu.

    Autograd gives an accelerator a separate thread. Kernels run on the host and hold the GIL, so
    that nothing would run in parallel, and for a small model the two thread switches, with caches
    on another core, cost as much as all kernels of the backward pass. The setting applies to the
    thread that imports torch_npu; other threads keep autograd's default.
    """
    torch._C._set_multithreading_enabled(False)


def _register_from_python():
    class Hooks(torch._C._acc.PrivateUse1Hooks):
        """Hooks that the core calls for an accelerator."""

        def is_available(self):
            return torch.npu.is_available()

        def has_primary_context(self, index):
            return True

        def is_built(self):
            return True

    class Guard(torch._C._acc.DeviceGuard):
        """Guard that the core calls to switch devices: there is one device, so it does nothing.

        Autograd queries the type four times for each node of a backward pass; a callable without
        a Python frame is the fastest.
        """

        type_ = itertools.repeat(torch._C._autograd.DeviceType.PrivateUse1).__next__

    hooks, guard = Hooks(), Guard()
    torch._C._acc.register_python_privateuseone_hook(hooks)
    torch._C._acc.register_python_privateuseone_device_guard(guard)
    _kept.extend((hooks, guard))
