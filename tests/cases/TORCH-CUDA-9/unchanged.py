#### a message that is put together
import torch
with torch.cuda.nvtx.range("step {}", i):
    pass
#### findings
2 manual
#### made before it is entered
import torch
r = torch.cuda.nvtx.range("a")
#### findings
2 manual
#### the five functions
import torch
torch.cuda.nvtx.range_push("a")
#### ranges of Python
import torch
for i in range(3):
    pass
#### of another package
import nvtx
with nvtx.range("a"):
    pass
