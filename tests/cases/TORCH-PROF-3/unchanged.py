#### nothing requested
import torch
torch.autograd.profiler.profile()
#### already requested
import torch
torch.autograd.profiler.profile(use_device="npu")
#### another profiler
import torch
torch.profiler.profile(use_cuda=True)
#### a function of the project
def profile(use_cuda):
    pass
profile(use_cuda=True)
#### another package
from line_profiler import profile
profile(use_cuda=True)
#### unseen arguments
import torch
torch.autograd.profiler.profile(**options)
#### a text
import torch
print("use_cuda=True")
#### a local name
def f(torch):
    torch.autograd.profiler.profile(use_cuda=True)
