"""torch.distributed on the emulated NPU: the hccl backend, carried by gloo between processes."""

import torch.distributed as dist


def install():
    """Register hccl and lccl with torch.distributed and patch what torch_npu patches there."""
    if not dist.is_available():
        return
    from . import backend, coalescing, collectives, models, patches, reducer, sync_batch_norm

    backend.install()
    collectives.install()
    coalescing.install()
    patches.install()
    models.install()
    reducer.install()
    sync_batch_norm.install()
