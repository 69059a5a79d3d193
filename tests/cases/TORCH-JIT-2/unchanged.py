#### scripts under the switch
import torch
from torch.jit import script
model = torch.jit.script(model)
@torch.jit.script
def f(x):
    return x
#### with style=transfer
#### findings
2 manual
3 manual
4 manual
#### scripts in explicit style
import torch
model = torch.jit.script(model)
#### traces
import torch
model = torch.jit.trace(model, x)
#### with style=transfer
