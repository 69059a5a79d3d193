#### no such optimizer
import torch
a = torch.optim.LBFGS(params)
#### a fused one beside a scaler
import torch
scaler = torch.npu.amp.GradScaler()
optimizer = torch.optim.AdamW(params, fused=True)
#### findings
3 manual
#### a fused one alone
import torch
optimizer = torch.optim.AdamW(params, fused=True)
#### with entry=other.py
#### a scaler alone
import torch
scaler = torch.npu.amp.GradScaler()
optimizer = torch.optim.AdamW(params, fused=False)
#### with entry=other.py
#### a group for each parameter
import torch
optimizer = torch.optim.SGD([{'params': [p], 'lr': 0.1} for p in model.parameters()], lr=0.1)
params = []
for key, value in model.named_parameters():
    params += [{'params': [value], 'lr': lr}]
other = torch.optim.Adam(params)
third = torch.optim.Adam(params, foreach=False)
#### with entry=other.py
#### findings
2 info
6 info
#### a few groups
import torch
optimizer = torch.optim.SGD([{'params': a}, {'params': b}], lr=0.1)
#### with entry=other.py
#### another optimizer may set them to None
import torch
optimizer = torch.optim.LBFGS(params)
optimizer.zero_grad(set_to_none=True)
#### somebody else's
import torch
from mylib import SGD
optimizer = SGD(params)
#### a fused one by options, the scaler in the file that uses this one
import torch
def configure(params, device_type):
    extra = dict(fused=True) if device_type == 'npu' else dict()
    return torch.optim.AdamW(params, lr=0.1, **extra)
#### file train.py
import torch
from main import configure
scaler = torch.npu.amp.GradScaler(enabled=True)
#### with entry=train.py
#### findings
4 manual
