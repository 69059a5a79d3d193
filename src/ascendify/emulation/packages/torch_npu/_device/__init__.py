"""Real tensors of device type "npu" whose bytes are in host memory.

An npu tensor is an ordinary tensor of the C++ core: autograd, views, optimizers and the dispatcher
treat it like a tensor of any accelerator. Only the kernels are ours: each views the same bytes as a
cpu tensor, runs the cpu kernel, and returns the result as an npu tensor.
"""


def install():
    """Register the kernels of the device type, and patch the parts of torch that depend on it."""
    from torch_npu._device import (
        accelerator,
        autocast,
        generator,
        no_cuda,
        parameters,
        pinned,
        profiling,
        register,
        reported_index,
        serialization,
        storage,
    )
    from torch_npu.npu import types

    register.install()
    for part in (
        accelerator,
        autocast,
        generator,
        no_cuda,
        parameters,
        pinned,
        profiling,
        reported_index,
        serialization,
        storage,
        types,
    ):
        part.install()
