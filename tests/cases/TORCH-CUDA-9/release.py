#### annotate came later: a block stays, a function is marked
import torch
with torch.cuda.nvtx.range("a"):
    pass
@torch.cuda.nvtx.range("b")
def step():
    pass
#### with torch_npu=2.8.0
#### after
import torch
with torch.cuda.nvtx.range("a"):
    pass
@torch.npu.mstx.mstx_range("b")
def step():
    pass
#### findings
2 manual
4 auto
