"""The names of torch_npu's C++ extension for distributed work."""

import torch.distributed as _dist

if _dist.is_available():
    from torch.distributed import TCPStore as ParallelStore

    from .._distributed import takes_kernels_in_python as _takes_kernels

    if _takes_kernels():
        from .._distributed.backend import ProcessGroupHCCL, ProcessGroupLCCL
    else:
        from .._distributed.older_backend import ProcessGroupHCCL, ProcessGroupLCCL


def _is_support_hccl_comm_name():
    return True
