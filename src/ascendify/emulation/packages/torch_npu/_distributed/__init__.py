"""torch.distributed on the emulated NPU: the hccl backend, implemented with gloo."""

import torch.distributed as dist


def takes_kernels_in_python():
    """Whether operators of c10d can have Python kernels: torch 2.3 and newer."""
    return hasattr(dist.ProcessGroup, "unbox")


def install():
    """Register hccl and lccl with torch.distributed and patch what torch_npu patches there."""
    if not dist.is_available():
        return
    from ascendify_startup import torch_sync_batch_norm

    from . import additions, ddp_reducer, parallel_models

    additions.install()
    if takes_kernels_in_python():
        from . import backend, coalescing, collectives, patches

        for part in (backend, collectives, coalescing, patches):
            part.install()
    else:
        from . import older_backend

        older_backend.install()
    parallel_models.install()
    ddp_reducer.install()
    torch_sync_batch_norm.install()
