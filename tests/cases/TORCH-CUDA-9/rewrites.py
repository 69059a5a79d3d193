#### around a block
import torch
with torch.cuda.nvtx.range("forward"):
    y = model(x)
#### after
import torch
from torch_npu.npu.mstx import annotate
with annotate("forward"):
    y = model(x)
#### findings
2 auto
#### above a function
import torch
@torch.cuda.nvtx.range("step")
def step(x):
    return x
#### after
import torch
@torch.npu.mstx.mstx_range("step")
def step(x):
    return x
#### imported
import torch
from torch.cuda import nvtx
with open(p) as f, nvtx.range("read"):
    pass
#### after
import torch
from torch.cuda import nvtx
from torch_npu.npu.mstx import annotate
with open(p) as f, annotate("read"):
    pass
#### renamed by somebody without a look at what there is
import torch
with torch.npu.nvtx.range("forward"):
    pass
#### after
import torch
from torch_npu.npu.mstx import annotate
with annotate("forward"):
    pass
