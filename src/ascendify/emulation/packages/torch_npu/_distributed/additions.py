"""Functions that torch_npu adds to torch.distributed."""

import torch.distributed as dist
import torch.distributed.distributed_c10d as c10d


def is_hccl_available():
    """Whether the hccl backend is registered."""
    return "hccl" in dist.Backend.backend_list


def reinit_process_group(group=None, rebuild_link=True):
    """Rebuild the connections of a group; does nothing in the emulation."""
    group = group or c10d._get_default_group()
    return group if rebuild_link else None


def install():
    """Add the functions to torch.distributed."""
    for function in (is_hccl_available, reinit_process_group):
        setattr(dist, function.__name__, function)
        setattr(c10d, function.__name__, function)
