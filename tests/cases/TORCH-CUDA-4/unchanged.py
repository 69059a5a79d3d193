#### collectives of one process
import torch
import torch.cuda.comm as comm
torch.cuda.comm.broadcast(x, [0, 1])
comm.reduce_add(xs)
torch.nn.parallel.comm.gather(xs)
#### findings
2 info
3 blocker
4 blocker
5 blocker
#### NCCL
import torch
print(torch.cuda.nccl.version())
torch.cuda.nccl.all_reduce(xs)
#### findings
2 manual
3 blocker
#### profilers and the runtime
import torch
torch.cuda.profiler.start()
torch.cuda.cudart().cudaProfilerStop()
#### findings
2 manual
3 manual
#### what NVML tells
import torch
print(torch.cuda.temperature(), torch.cuda.list_gpu_processes())
#### findings
2 manual
2 manual
#### kernels, tuning
import torch
f = torch.cuda.jiterator._create_jit_fn(code)
torch.cuda.tunable.enable()
#### findings
2 blocker
3 manual
#### unknown names are reported as well
import torch
torch.cuda.brand_new_thing()
#### findings
2 manual
#### names with counterparts
import torch
from torch.cuda import Stream, CUDAGraph, nvtx
torch.cuda.synchronize()
torch.cuda.nvtx.range_push("a")
torch.cuda.nvtx.range("a")
torch.cuda.amp.autocast()
torch.cuda.sparse.FloatTensor(i, v)
torch.cuda.OutOfMemoryError
#### somebody else's comm
import mpi.cuda.comm as comm
comm.gather(x)
#### reported with the switch too
import torch
torch.cuda.get_arch_list()
#### with style=transfer
#### findings
2 manual
