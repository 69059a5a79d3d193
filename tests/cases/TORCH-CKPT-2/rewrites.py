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
8 auto
#### what only load_state_dict gets needs no look
import torch

def resume(path):
    state = torch.load(path)
    model.load_state_dict(state['model'], strict=False)
    optimizer.load_state_dict(state['optimizer'])

def resume_at(path):
    state = torch.load(path)
    model.load_state_dict(state['model'])
    return state['mean']
#### after
import torch

def resume(path):
    state = torch.load(path, map_location='cpu')
    model.load_state_dict(state['model'], strict=False)
    optimizer.load_state_dict(state['optimizer'])

def resume_at(path):
    state = torch.load(path, map_location='cpu')
    model.load_state_dict(state['model'])
    return state['mean']
#### findings
4 auto
9 auto-check
#### another name, and the other style
from torch import load as read

state = read(path)
#### with style=transfer
#### after
from torch import load as read

state = read(path, map_location='cpu')
#### a whole model stays on the NPU
import torch

net = torch.load(path)
net.eval()
with open(path, 'rb') as f:
    model, criterion = torch.load(f)
for batch in batches:
    model.train()
#### after
import torch

net = torch.load(path, map_location={'cuda:0': 'npu:0'})
net.eval()
with open(path, 'rb') as f:
    model, criterion = torch.load(f, map_location={'cuda:0': 'npu:0'})
for batch in batches:
    model.train()
#### findings
3 auto-check
6 auto-check
#### a model again, after training
import torch

model = build().npu()
train(model)
model = torch.load(path)
model.eval()
#### after
import torch

model = build().npu()
train(model)
model = torch.load(path, map_location={'cuda:0': 'npu:0'})
model.eval()
#### a whole model, and the other style
import torch

model = torch.load(path)
model.eval()
#### with style=transfer
#### after
import torch

model = torch.load(path, map_location='cuda')
model.eval()
#### a model that the program moves itself
import torch

model = torch.load(path)
model.eval()
model = model.to(device)
other = torch.load(path).to(device)
third = torch.load(path)
third.eval()
third.npu()
#### after
import torch

model = torch.load(path, map_location={'cuda:0': 'npu:0'})
model.eval()
model = model.to(device)
other = torch.load(path, map_location='cpu').to(device)
third = torch.load(path, map_location='cpu')
third.eval()
third.npu()
