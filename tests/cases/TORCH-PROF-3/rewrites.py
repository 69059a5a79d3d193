#### switched on
import torch
with torch.autograd.profiler.profile(use_cuda=True, record_shapes=True) as prof:
    pass
#### after
import torch
with torch.autograd.profiler.profile(use_device="npu", record_shapes=True) as prof:
    pass
#### findings
2 auto
#### by a variable
from torch.autograd import profiler
with profiler.profile(enabled=True, use_cuda=args.gpu or force) as prof:
    pass
#### after
from torch.autograd import profiler
with profiler.profile(enabled=True, use_device="npu" if (args.gpu or force) else None) as prof:
    pass
#### switched off
import torch
with torch.autograd.profiler.profile(use_cuda=False):
    pass
#### after
import torch
with torch.autograd.profiler.profile():
    pass
