#### a script that trains
import torch
import torch_npu
for x in loader:
    model(x.npu()).sum().backward()
#### with tune=yes
#### after
import torch
import torch_npu
torch_npu.npu.set_compile_mode(jit_compile=False)
torch_npu.npu.config.allow_internal_format = False
for x in loader:
    model(x.npu()).sum().backward()
#### findings
4 auto-check
#### convolutions keep their formats
"""Train."""
import torch as th
import torch_npu
from torch import nn
import os

model = nn.Conv2d(3, 3, 3).npu()
model(x).sum().backward()
#### with tune=yes
#### after
"""Train."""
import torch as th
import torch_npu
from torch import nn
import os
torch_npu.npu.set_compile_mode(jit_compile=False)

model = nn.Conv2d(3, 3, 3).npu()
model(x).sum().backward()
#### the training stands in another file
import torch
import torch_npu
import engine
if __name__ == "__main__":
    engine.train(torch.device("npu"))
#### file engine.py
def train(device):
    loss(device).backward()
#### with tune=yes
#### after
import torch
import torch_npu
import engine
torch_npu.npu.set_compile_mode(jit_compile=False)
torch_npu.npu.config.allow_internal_format = False
if __name__ == "__main__":
    engine.train(torch.device("npu"))
#### torch_npu is not imported yet
import torch
for x in loader:
    model(x.npu()).sum().backward()
#### with tune=yes
#### after
import torch
import torch_npu
torch_npu.npu.set_compile_mode(jit_compile=False)
torch_npu.npu.config.allow_internal_format = False
for x in loader:
    model(x.npu()).sum().backward()
