#### flags of the program
import torch

if args.cuda and not opt.cuda:
    use = self.cuda
#### the namespace is another rule's
import torch
from torch import cuda

if torch.cuda.is_available() and cuda.device_count():
    pass
#### something may be the project's own
import torch


def run(batch):
    return batch.cuda()
#### with defined=cuda
#### findings
5 possible
#### objects of the project
import torch


class Config:
    def cuda(self):
        return self.flag


config = Config()
if config.cuda():
    pass
#### with defined=cuda
#### one of the two may be the project's own
import torch


class Batch:
    def cuda(self):
        return self


item = Batch() if small else torch.zeros(3)
item.cuda()
#### with defined=cuda
#### findings
10 possible
#### other libraries
import torch
import numba
from numba import cuda

cuda.jit(f)
numba.cuda.synchronize()
#### the switch translates it
import torch

model.cuda()
x = torch.zeros(3).cuda()
moved = map(torch.Tensor.cuda, tensors)
#### with style=transfer
#### moved to the NPU already
import torch
import torch_npu

model.npu()
#### an attribute that is set
import torch

args.cuda = True
args.cuda &= torch.cuda.is_available()
#### a function named so
import torch


def cuda(x):
    return x


cuda(3)
#### with defined=cuda
