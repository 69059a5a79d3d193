"""A build of torch with CUDA answers as one without: a machine with NPUs has such a build.

A `.cuda()` that was overlooked then fails with the same words everywhere, whatever build of torch
the emulation runs on, and whether or not there is a GPU.
"""

import torch

_COMPILED = "_cuda_getDeviceCount"
"""The function of the core that torch itself looks for, to know whether it was built with CUDA."""


def install():
    """Take away what tells that CUDA was built in."""
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
