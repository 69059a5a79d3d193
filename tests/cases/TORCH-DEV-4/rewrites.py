#### tensors, modules and what may be either
import torch
from torch import nn

x = torch.zeros(3).cuda()
m = nn.Linear(1, 1).cuda(0)


def forward(self, y):
    return y.cuda(args.gpu, non_blocking=True), y.cuda(device=None)
#### after
import torch
from torch import nn

x = torch.zeros(3).npu()
m = nn.Linear(1, 1).npu(0)


def forward(self, y):
    return y.npu(args.gpu, non_blocking=True), y.npu(device=None)
#### findings
4 auto
5 auto
9 auto
9 auto
#### a chain over several lines
import torch

model = (
    build()
    .eval()
    .cuda()  # over there
    .half()
)
#### after
import torch

model = (
    build()
    .eval()
    .npu()  # over there
    .half()
)
#### lambdas, comprehensions, a loop over a batch
import torch

batch = list(map(lambda t: t.cuda(), batch))
batch = {k: v.cuda() for k, v in batch.items()}
a, b = (t.cuda(non_blocking=True) for t in batch)
torch.load(path, map_location=lambda storage, loc: storage.cuda(rank))
#### after
import torch

batch = list(map(lambda t: t.npu(), batch))
batch = {k: v.npu() for k, v in batch.items()}
a, b = (t.npu(non_blocking=True) for t in batch)
torch.load(path, map_location=lambda storage, loc: storage.npu(rank))
#### the method as a value
import torch

moved = map(torch.Tensor.cuda, tensors)
model.apply(torch.nn.Module.cuda)
move = torch.zeros(3).cuda
#### after
import torch

moved = map(torch.Tensor.npu, tensors)
model.apply(torch.nn.Module.npu)
move = torch.zeros(3).npu
#### packed sequences and storages
import torch
from torch.nn.utils.rnn import pack_padded_sequence

packed = pack_padded_sequence(x, lengths).cuda()
raw = torch.zeros(3).untyped_storage().cuda()
#### after
import torch
from torch.nn.utils.rnn import pack_padded_sequence

packed = pack_padded_sequence(x, lengths).npu()
raw = torch.zeros(3).untyped_storage().npu()
#### a model of the project
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x


net = Net()
net.cuda()
#### after
import torch
from torch import nn


class Net(nn.Module):
    def forward(self, x):
        return x


net = Net()
net.npu()
#### findings
11 auto
#### the body of a method of the project's own, not the calls of it
import torch
from torch import nn


class Net(nn.Module):
    def cuda(self, device=None):
        super().cuda(device)
        self.table = self.table.cuda(device)
        return self


class Batch:
    def __init__(self, x):
        self.x = torch.tensor(x)

    def cuda(self):
        self.x = self.x.cuda()
        return self


net = Net()
net.cuda()
Batch([1]).cuda()
known = torch.zeros(3).cuda()
#### with defined=cuda
#### after
import torch
from torch import nn


class Net(nn.Module):
    def cuda(self, device=None):
        super().npu(device)
        self.table = self.table.npu(device)
        return self


class Batch:
    def __init__(self, x):
        self.x = torch.tensor(x)

    def cuda(self):
        self.x = self.x.npu()
        return self


net = Net()
net.cuda()
Batch([1]).cuda()
known = torch.zeros(3).npu()
#### findings
7 auto
8 auto-check
17 auto
24 auto
#### a buffer that was registered
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('mask', torch.zeros(3))

    def forward(self, x):
        return x + self.mask.cuda()
#### after
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer('mask', torch.zeros(3))

    def forward(self, x):
        return x + self.mask.npu()
#### what is None at times
import torch


class Prefetcher:
    def preload(self):
        try:
            self.images = next(self.loader)
        except StopIteration:
            self.images = None
            return
        self.images = self.images.cuda(non_blocking=True)
#### after
import torch


class Prefetcher:
    def preload(self):
        try:
            self.images = next(self.loader)
        except StopIteration:
            self.images = None
            return
        self.images = self.images.npu(non_blocking=True)
