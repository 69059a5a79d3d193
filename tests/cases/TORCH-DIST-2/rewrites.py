#### whether it is there
import torch
import torch.distributed as dist
assert dist.is_nccl_available()
ok = torch.distributed.is_nccl_available
#### after
import torch
import torch.distributed as dist
assert dist.is_hccl_available()
ok = torch.distributed.is_hccl_available
#### findings
3 auto
4 auto
#### imported by name
from torch.distributed import is_initialized, is_nccl_available
if is_nccl_available():
    pass
#### after
from torch.distributed import is_initialized, is_hccl_available
if is_hccl_available():
    pass
#### the name of the backend
import torch.distributed as dist
from torch.distributed import Backend
dist.init_process_group(dist.Backend.NCCL)
group = dist.new_group(backend=Backend.NCCL)
#### after
import torch.distributed as dist
from torch.distributed import Backend
dist.init_process_group(dist.Backend.HCCL)
group = dist.new_group(backend=Backend.HCCL)
#### the class of the group and its options
import torch
options = torch.distributed.ProcessGroupNCCL.Options()
#### after
import torch
from torch_npu._C._distributed_c10d import ProcessGroupHCCL
options = ProcessGroupHCCL.Options()
#### the class by name
import torch
from torch.distributed import Backend, ProcessGroupNCCL
options = ProcessGroupNCCL.Options(is_high_priority_stream=True)
#### after
import torch
from torch.distributed import Backend
from torch_npu._C._distributed_c10d import ProcessGroupHCCL
options = ProcessGroupHCCL.Options(is_high_priority_stream=True)
