#### names of torch that came later
import torch
try:
    step()
except torch.cuda.OutOfMemoryError:
    pass
#### with torch_npu=2.1.0.post17
#### findings
4 manual
#### and since then
import torch
try:
    step()
except torch.cuda.OutOfMemoryError:
    pass
#### with torch_npu=2.4.0
#### after
import torch
try:
    step()
except torch.OutOfMemoryError:
    pass
#### marks that came later
import torch
torch.cuda.nvtx.range_push("a")
torch.cuda.nvtx.mark("b")
#### with torch_npu=2.7.1.post2
#### after
import torch
torch.cuda.nvtx.range_push("a")
torch.npu.mstx.mark("b")
#### findings
2 manual
3 auto
