#### names of other rules
import torch
torch.cuda.amp.autocast()
torch.cuda.CUDAGraph()
torch.cuda.FloatTensor(2)
torch.cuda.nvtx.range_push("a")
torch.cuda.get_device_capability()
torch.cuda.comm.broadcast(x, [0, 1])
#### imported names change where they are imported
from torch.cuda import synchronize
from torch import cuda
synchronize()
cuda.is_available()
#### somebody else's cuda
import numba.cuda
from numba import cuda
numba.cuda.synchronize()
cuda.synchronize()
cfg.cuda.is_available()
#### a local name torch
def f(torch):
    return torch.cuda.is_available()
#### methods
import torch
x = torch.ones(1).cuda()
#### texts and remarks
import torch
print("torch.cuda.is_available()")  # torch.cuda.synchronize()
#### flags of backends
import torch
torch.backends.cuda.matmul.allow_tf32 = True
#### already migrated
import torch
import torch_npu
torch.npu.synchronize()
#### under the switch
import torch
torch.cuda.synchronize()
#### with style=transfer
#### the build of CUDA sources is left to GPUs
import torch
sources = ["nms.c"]
if torch.cuda.is_available():
    sources += ["nms_cuda.c"]
    defines = [("WITH_CUDA", None)]
#### findings
3 manual
