#### same names
import torch
torch.cuda.Stream()
torch.cuda.default_generators
#### a range around a block has a rule of its own
import torch
with torch.cuda.nvtx.range("a"):
    pass
#### nvtx of another package
import nvtx
nvtx.push_range("a")
#### imported by itself
from torch.cuda import nvtx
nvtx.mark("a")
#### torch's own exception
import torch
try:
    pass
except torch.OutOfMemoryError:
    pass
#### graphs have a rule of their own
import torch
torch.cuda.CUDAGraph()
#### no counterpart
import torch
torch.cuda.jiterator
#### already migrated
import torch
import torch_npu
torch.npu.mstx.mark("a")
