"""Make a build of torch with CUDA behave as one without: machines with NPUs have such a build.

A `.cuda()` that was overlooked then fails with the same message in every build of torch, with or
without a GPU.
"""

import torch

_COMPILED = "_cuda_getDeviceCount"
"""The function of the core by which torch itself tests whether it was built with CUDA."""


def install():
    """Remove the signs that torch was built with CUDA."""
    if not hasattr(torch._C, _COMPILED):
        return
    delattr(torch._C, _COMPILED)
    torch.version.cuda = None
    for flag in ("_has_cuda", "_has_cudnn", "_has_magma"):
        if hasattr(torch._C, flag):
            setattr(torch._C, flag, False)
    if torch.distributed.is_available():
        from torch.distributed import distributed_c10d

        distributed_c10d._NCCL_AVAILABLE = False
