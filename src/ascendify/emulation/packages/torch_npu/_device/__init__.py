"""Genuine tensors of device type "npu" whose bytes lie in host memory.

An npu tensor is a tensor of the C++ core like any other: autograd, views, optimizers and the
dispatcher treat it as they treat a tensor of an accelerator. Only the kernels are ours: each looks
at the same bytes as a cpu tensor, runs the cpu kernel, and hands the result out as an npu tensor.
"""


def install():
    """Give the device type its kernels and its ways into the rest of torch."""
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
