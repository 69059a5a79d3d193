#### a meter
import torch
import torch.distributed as dist
def synchronize(self):
    t = torch.tensor([self.count, self.total], dtype=torch.float64, device='cuda')
    dist.barrier()
    dist.all_reduce(t)
    t = t.tolist()
#### after
import torch
import torch.distributed as dist
def synchronize(self):
    t = torch.tensor([self.count, self.total], dtype=torch.float32, device='cuda')
    dist.barrier()
    dist.all_reduce(t)
    t = t.tolist()
#### findings
6 auto-check
#### on the spot, by its other name
import torch
torch.distributed.reduce(torch.zeros(3, dtype=torch.double).cuda(), 0)
y = torch.ones(2, dtype=torch.double)
torch.distributed.all_reduce(y, op=op)
#### after
import torch
torch.distributed.reduce(torch.zeros(3, dtype=torch.double).cuda(), 0)
y = torch.ones(2, dtype=torch.float32)
torch.distributed.all_reduce(y, op=op)
#### findings
4 auto-check
