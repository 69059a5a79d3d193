#### already migrated
import torch
torch.distributed.is_hccl_available()
torch.distributed.Backend.HCCL
#### other backends
import torch
torch.distributed.is_gloo_available()
torch.distributed.Backend.GLOO
#### somebody else's
import mylib
mylib.is_nccl_available()
mylib.Backend.NCCL
#### a class of the project
class Backend:
    NCCL = 'x'
print(Backend.NCCL)
#### in a text
import torch
print('torch.distributed.is_nccl_available()')
#### the switch covers the question and the name
import torch
torch.distributed.is_nccl_available()
torch.distributed.Backend.NCCL
#### with style=transfer
#### torch.cuda.nccl belongs to another rule
import torch
torch.cuda.nccl.version()
#### a class under another name
from torch.distributed import ProcessGroupNCCL as Group
options = Group.Options()
#### findings
1 manual
#### a name of long ago
import torch.distributed as dist
if dist._backend == dist.dist_backend.NCCL:
    pass
#### findings
2 manual
