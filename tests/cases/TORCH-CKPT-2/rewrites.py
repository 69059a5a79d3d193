#### no place is given
import torch

a = torch.load(path)
b = torch.load(
    path,  # of the last run
    weights_only=True,
)
model.load_state_dict(torch.load(f=path)['model'])
#### after
import torch

a = torch.load(path, map_location='cpu')
b = torch.load(
    path,  # of the last run
    weights_only=True, map_location='cpu',
)
model.load_state_dict(torch.load(f=path, map_location='cpu')['model'])
#### findings
3 auto-check
4 auto-check
8 auto-check
#### another name, and the other style
from torch import load as read

state = read(path)
#### with style=transfer
#### after
from torch import load as read

state = read(path, map_location='cpu')
