#### explicit style needs no switch
import torch
x = torch.zeros(1).cuda()
#### a module that is not run, of a program that is
import torch
x = torch.zeros(1).cuda()
#### with style=transfer entry=train.py
#### a program that nothing is seen to start
import os
import torch
x = torch.zeros(1).cuda()
#### with style=transfer entry=
#### findings
2 manual
#### a script that builds is not one that starts it
import torch
x = torch.zeros(1).cuda()
#### with style=transfer entry=setup.py
#### findings
1 manual
#### reported once, in the first file with torch
import torch
x = torch.zeros(1).cuda()
#### file a.py
import torch
#### with style=transfer entry=
#### no file that comes first has torch
import torch
x = torch.zeros(1).cuda()
#### file a.py
import os
#### with style=transfer entry=
#### findings
1 manual
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
#### with style=transfer entry=train.py
#### a path by name
import torch
torch.load(f="/data/cuda/best.pt")
#### with style=transfer entry=train.py
#### a path in explicit style
import torch
torch.load("/data/cuda/best.pt")
#### another script than the one that is to import it
import torch
import fairscale
#### with transfer=train.py
