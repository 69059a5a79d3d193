#### somebody else's amp
from apex import amp
with amp.scale_loss(loss, optimizer) as scaled:
    scaled.backward()
#### a user's own autocast
def autocast():
    return open('x')
with autocast():
    pass
#### an object called torch that is none
import mytorch as torch
with torch.cuda.amp.autocast():
    pass
#### already migrated
import torch
import torch_npu
from torch_npu.npu.amp import autocast
scaler = torch.npu.amp.GradScaler(1., 2., .5, 100, True)
with autocast():
    pass
#### the device-neutral forms belong to another rule
import torch
with torch.autocast('cuda'):
    pass
scaler = torch.amp.GradScaler('cuda')
#### amp of the CPU
import torch
with torch.cpu.amp.autocast():
    pass
#### text that looks like it
import torch
print("use torch.cuda.amp.autocast() for speed")  # torch.cuda.amp
#### the switch covers the module and its imports
import torch
from torch.cuda.amp import autocast, GradScaler
from torch.cuda import amp
with autocast(), amp.autocast(), torch.cuda.amp.autocast():
    scaler = GradScaler(enabled=True)
#### with style=transfer
#### what the NPU's module does not have
import torch
from torch.cuda.amp.common import amp_definitely_not_available
if torch.cuda.amp.common.amp_definitely_not_available():
    pass
#### findings
2 manual
3 manual
#### arguments that cannot be counted
from torch_npu.npu import amp
import torch.cuda.amp as gpu
scaler = gpu.GradScaler(*values)
#### with style=transfer
#### findings
3 manual
