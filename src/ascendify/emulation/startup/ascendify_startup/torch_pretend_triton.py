"""Triton on a pretended GPU: its interpreter runs kernels on the CPU."""

import os

from ascendify_startup import import_hooks, torch_pretend_errors
from ascendify_startup.torch_pretend_cuda import always
from ascendify_startup.torch_pretend_marks import current


def begin():
    """Make Triton interpret kernels, and find the pretended GPU."""
    os.environ.setdefault("TRITON_INTERPRET", "1")
    import_hooks.after("torch.utils._triton", _no_compiler)
    import_hooks.after("triton.runtime.driver", _driver)


def _no_compiler():
    """Tell torch's compiler that Triton cannot compile: its kernels are interpreted."""
    from torch.utils import _triton

    _triton.has_triton = always(False)


def _driver():
    """Give Triton a driver for the pretended GPU."""
    from triton.runtime import driver

    driver.driver.set_active(_Driver())


class _Driver(object):
    """The functions of Triton's driver that programs use."""

    def is_active(self):
        """Whether there is a GPU: always."""
        return True

    def get_current_device(self):
        """The index of the current GPU."""
        return current()

    def set_current_device(self, device):
        """Make a GPU the current one."""
        import torch

        torch.cuda.set_device(device)

    def get_current_stream(self, device=None):
        """Return the handle of the current stream."""
        return 0

    def get_current_target(self):
        """Return the target of compiled kernels."""
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 80, 32)

    def get_device_interface(self):
        """Return the torch module of the GPU."""
        import torch

        return torch.cuda

    def get_active_torch_device(self):
        """Return the current GPU."""
        import torch

        return torch.device("cuda", current())

    def __getattr__(self, name):
        raise torch_pretend_errors.refusal("triton.runtime.driver.active.%s" % name)
