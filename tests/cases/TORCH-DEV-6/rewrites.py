#### tensors, parameters, and what may be one
import torch


def forward(self, x):
    if x.is_cuda and not torch.zeros(3).is_cuda:
        pass
    return next(self.parameters()).is_cuda
#### after
import torch


def forward(self, x):
    if x.is_npu and not torch.zeros(3).is_npu:
        pass
    return next(self.parameters()).is_npu
#### findings
5 auto
5 auto
7 auto
#### a tensor beside an attribute of the project's own
import torch

args.is_cuda = True
x = torch.zeros(3)
if x.is_cuda:
    pass
#### after
import torch

args.is_cuda = True
x = torch.zeros(3)
if x.is_npu:
    pass
#### a storage and a packed sequence
import torch
from torch.nn.utils.rnn import pack_sequence

print(torch.zeros(3).untyped_storage().is_cuda, pack_sequence(xs).is_cuda)
#### after
import torch
from torch.nn.utils.rnn import pack_sequence

print(torch.zeros(3).untyped_storage().is_npu, pack_sequence(xs).is_npu)
