#### types that HCCL knows
import torch
import torch.distributed as dist
t = torch.tensor([1], dtype=torch.float32)
dist.all_reduce(t)
n = torch.tensor([1])
dist.all_reduce(n)
#### a cast
import torch
import torch.distributed as dist
t = x.double()
dist.all_reduce(t)
dist.all_reduce(mask.byte())
#### findings
4 manual
5 manual
#### bytes
import torch
import torch.distributed as dist
t = torch.zeros(3, dtype=torch.uint8, device='npu')
dist.all_reduce(t)
#### findings
4 manual
#### gathering takes any type
import torch
import torch.distributed as dist
t = torch.zeros(3, dtype=torch.uint8)
dist.all_gather(ts, t)
dist.broadcast(torch.zeros(1, dtype=torch.float64), 0)
#### a type that cannot be seen
import torch
import torch.distributed as dist
t = torch.zeros(3, dtype=dtype)
dist.all_reduce(t)
dist.all_reduce(x)
#### several values
import torch
import torch.distributed as dist
t = torch.zeros(3, dtype=torch.float64)
t = t.float()
dist.all_reduce(t)
#### float64 that stays at home
import torch
t = torch.zeros(3, dtype=torch.float64)
#### somebody else's reduction
import torch
from mylib import all_reduce
t = torch.zeros(3, dtype=torch.float64)
all_reduce(t)
