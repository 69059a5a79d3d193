#### every optimizer that has a fused counterpart
import torch
import torch.optim as optim
from torch.optim import Adam

a = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
b = Adam(model.parameters(), 1e-3, (0.9, 0.99))
c = optim.AdamW([{"params": decayed}, {"params": rest, "weight_decay": 0.0}], lr=lr)
d = optim.Adadelta(model.parameters())
e = optim.RMSprop(model.parameters(), lr=0.1, centered=True)
#### with tune=yes
#### after
import torch
import torch_npu
import torch.optim as optim
from torch.optim import Adam

a = torch_npu.optim.NpuFusedSGD(model.parameters(), lr=0.1, momentum=0.9)
b = torch_npu.optim.NpuFusedAdam(model.parameters(), 1e-3, (0.9, 0.99))
c = torch_npu.optim.NpuFusedAdamW([{"params": decayed}, {"params": rest, "weight_decay": 0.0}], lr=lr)
d = torch_npu.optim.NpuFusedAdadelta(model.parameters())
e = torch_npu.optim.NpuFusedRMSprop(model.parameters(), lr=0.1, centered=True)
#### findings
5 auto-check
6 auto-check
7 auto-check
8 auto-check
9 auto-check
#### arguments that change no number go
import torch

a = torch.optim.SGD(params, 0.1, foreach=True, maximize=False)
b = torch.optim.AdamW(
    params,
    lr=0.1,
    fused=True,
)
extra = dict(fused=True) if use_fused else dict()
c = torch.optim.AdamW(params, lr=0.1, **extra)
#### with tune=yes
#### after
import torch
import torch_npu

a = torch_npu.optim.NpuFusedSGD(params, 0.1)
b = torch_npu.optim.NpuFusedAdamW(
    params,
    lr=0.1,
)
extra = dict(fused=True) if use_fused else dict()
c = torch_npu.optim.NpuFusedAdamW(params, lr=0.1)
#### gradients are cleared to zero
import torch

def train(optimizer, loader):
    for x in loader:
        optimizer.zero_grad(set_to_none=True)

train(torch.optim.Adam(params), loader)
#### with tune=yes
#### after
import torch
import torch_npu

def train(optimizer, loader):
    for x in loader:
        optimizer.zero_grad()

train(torch_npu.optim.NpuFusedAdam(params), loader)
#### findings
5 auto
7 auto-check
#### also where another file makes the optimizer
import optimizers

def train(model, loader):
    optimizer = optimizers.make(model)
    optimizer.zero_grad(set_to_none=True)
#### file optimizers.py
import torch

def make(model):
    return torch.optim.Adam(model.parameters())
#### with tune=yes
#### after
import optimizers

def train(model, loader):
    optimizer = optimizers.make(model)
    optimizer.zero_grad()
#### findings
5 auto
#### frozen parameters are no obstacle
import torch
for p in model.backbone.parameters():
    p.requires_grad = False
model.head.requires_grad_(False)
optimizer = torch.optim.Adam(params)
#### with tune=yes
#### after
import torch
import torch_npu
for p in model.backbone.parameters():
    p.requires_grad = False
model.head.requires_grad_(False)
optimizer = torch_npu.optim.NpuFusedAdam(params)
#### what another program of the project does is no obstacle
import torch
import layers
optimizer = torch.optim.Adam(params)
#### file other.py
import layers
from accelerate import Accelerator
#### file layers.py
import torch
#### with tune=yes
#### after
import torch
import torch_npu
import layers
optimizer = torch_npu.optim.NpuFusedAdam(params)
