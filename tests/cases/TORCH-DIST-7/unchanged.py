#### bit by bit
import torch.distributed as dist
dist.all_reduce(flag, op=dist.ReduceOp.BOR)
dist.all_reduce(flag, dist.ReduceOp.BAND)
op = dist.ReduceOp.BXOR
#### findings
2 manual
3 manual
4 manual
#### imported by name
from torch.distributed import ReduceOp, all_reduce
all_reduce(flag, ReduceOp.BAND)
#### findings
2 manual
#### what HCCL can do
import torch.distributed as dist
dist.all_reduce(x, op=dist.ReduceOp.SUM)
dist.all_reduce(x, op=dist.ReduceOp.AVG)
dist.all_reduce(x, op=dist.ReduceOp.MAX)
#### something else of that name
from mpi4py import MPI
comm.Allreduce(x, op=MPI.BOR)
class ReduceOp:
    BOR = 1
print(ReduceOp.BOR)
