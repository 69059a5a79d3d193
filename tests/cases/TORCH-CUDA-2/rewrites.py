#### ranges
import torch
torch.cuda.nvtx.range_push("forward")
torch.cuda.nvtx.mark("here")
torch.cuda.nvtx.range_pop()
#### after
import torch
torch.npu.mstx.range_push("forward")
torch.npu.mstx.mark("here")
torch.npu.mstx.range_pop()
#### findings
2 auto
3 auto
4 auto
#### the module under a name of one's own
import torch
nvtx = torch.cuda.nvtx
nvtx.range_push("x")
#### after
import torch
nvtx = torch.npu.mstx
nvtx.range_push("x")
#### allocator
import torch as th
a = th.cuda.CUDAPluggableAllocator("a.so", "malloc", "free")
b = th.cuda.memory.CUDAPluggableAllocator("a.so", "malloc", "free")
#### after
import torch as th
a = th.npu.NPUPluggableAllocator("a.so", "malloc", "free")
b = th.npu.memory.NPUPluggableAllocator("a.so", "malloc", "free")
#### exception
import torch
try:
    step()
except torch.cuda.OutOfMemoryError:
    torch.empty(0)
#### after
import torch
try:
    step()
except torch.OutOfMemoryError:
    torch.empty(0)
#### sanitizer
import torch
torch.cuda._sanitizer.enable_cuda_sanitizer()
#### after
import torch
from torch_npu.npu._sanitizer import enable_npu_sanitizer
enable_npu_sanitizer()
#### below an imported module
from torch import cuda
cuda.nvtx.mark("a")
#### after
from torch import cuda
cuda.mstx.mark("a")
#### the switch does not know these
import torch
torch.cuda.nvtx.mark("a")
#### with style=transfer
#### after
import torch
torch.npu.mstx.mark("a")
#### names of a textual migration
import torch
torch.npu.nvtx.range_push("a")
g = torch.npu.CUDAGraph()
#### after
import torch
torch.npu.mstx.range_push("a")
g = torch.npu.NPUGraph()
#### findings
2 auto
3 auto
