#### the device comes from a tensor
import torch
with torch.autocast(device_type=x.device.type):
    pass
#### the device comes from a variable, which is rewritten where it is made
import torch
device_type = 'cuda' if gpu else 'cpu'
with torch.autocast(device_type):
    pass
scaler = torch.amp.GradScaler(device_type)
#### other devices
import torch
with torch.autocast('cpu'):
    pass
with torch.autocast('npu'):
    pass
scaler = torch.amp.GradScaler('npu', enabled=True)
#### somebody else's autocast
from flax import autocast
with autocast('cuda'):
    pass
#### the GPU's own names belong to another rule
import torch
scaler = torch.cuda.amp.GradScaler()
#### the word in another place
import torch
name = 'cuda'
print('cuda', torch.autocast)
#### a name that merely contains it
import torch
with torch.autocast('mycuda'):
    pass
#### arguments that cannot be seen
import torch
scaler = torch.amp.GradScaler(**options)
#### findings
2 manual
#### arguments that cannot be seen, by position
import torch
scaler = torch.amp.GradScaler(*options)
#### the switch covers autocast
import torch
with torch.autocast('cuda'):
    pass
#### with style=transfer
