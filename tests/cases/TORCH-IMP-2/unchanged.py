#### explicit style needs no switch
import torch
x = torch.zeros(1).cuda()
#### a module that is not run
import torch
x = torch.zeros(1).cuda()
#### with style=transfer entry=
#### the switch is there
import torch
import torch_npu
from torch_npu.contrib import transfer_to_npu
#### with style=transfer
#### the switch is there, imported otherwise
import torch
import torch_npu.contrib.transfer_to_npu
#### with style=transfer
#### a script without torch
import os
import subprocess
#### with style=transfer
#### a path without the word
import torch
torch.load("best.pt", map_location="cuda")
#### with style=transfer entry=
#### a path by name
import torch
torch.load(f="/data/cuda/best.pt")
#### with style=transfer entry=
#### a path in explicit style
import torch
torch.load("/data/cuda/best.pt")
