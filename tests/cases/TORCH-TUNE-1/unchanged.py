#### noted without --tune
import torch
a = torch.optim.SGD(params, lr=0.1)
b = torch.optim.Adam(params)
a.zero_grad(set_to_none=True)
torch.nn.utils.clip_grad_norm_(params, 1.0)
#### findings
2 info
3 info
#### no such optimizer
import torch
a = torch.optim.LBFGS(params)
b = torch.optim.Adagrad(params, lr=0.1)
#### with tune=yes
#### arguments that the fused one does not have, or that are not visible
import torch
a = torch.optim.Adam(params, maximize=True)
b = torch.optim.SGD(params)
c = torch.optim.Adam(params, **options)
d = torch.optim.Adam(*arguments)
e = torch.optim.Adam(params, maximize=maximize)
f = torch.optim.Adam(params, **dict(fused=True, lr=lr))
#### with tune=yes
#### findings
2 info
3 info
4 info
5 info
6 info
7 info
#### gradients become None
import torch
model = torch.nn.Linear(2, 2)
a = torch.optim.Adam(model.parameters())
model.zero_grad()
#### with tune=yes
#### findings
3 info
#### gradients become None in a file that is imported
import torch
import steps
a = torch.optim.Adam(params)
#### file steps.py
def clear(params):
    for p in params:
        p.grad = None
#### with tune=yes
#### findings
3 info
#### parameters are added later
import torch
a = torch.optim.Adam(params)
a.add_param_group({"params": more})
a.zero_grad(set_to_none=True)
#### with tune=yes
#### findings
2 info
#### parameters are frozen and thawed
import torch
a = torch.optim.Adam(params)
for p in model.parameters():
    p.requires_grad = epoch > 3
#### with tune=yes
#### findings
2 info
#### another type
import torch
model = torch.nn.Linear(2, 2).bfloat16()
a = torch.optim.Adam(model.parameters())
#### with tune=yes
#### findings
3 info
#### not every gradient every time
import torch
a = torch.optim.Adam(params)
model = torch.nn.parallel.DistributedDataParallel(model, find_unused_parameters=True)
#### with tune=yes
#### findings
2 info
#### parameters divided among ranks
import torch
from torch.distributed.fsdp import FullyShardedDataParallel as FSDP
model = FSDP(model)
a = torch.optim.Adam(model.parameters())
#### with tune=yes
#### findings
4 info
#### a library that clears gradients itself
import torch
from accelerate import Accelerator
a = torch.optim.Adam(params)
#### with tune=yes
#### findings
3 info
#### a model that goes to the host
import torch
model = torch.nn.Linear(2, 2)
a = torch.optim.Adam(model.parameters())
torch.save(model.cpu().state_dict(), "model.pt")
#### with tune=yes
#### findings
3 info
#### a closure, which the fused ones run without gradients
import torch
optimizer = torch.optim.Adam(params)
optimizer.step(closure)
scheduler.step(epoch)
#### with tune=yes
#### findings
2 info
#### a class that is passed on
import torch
kind = torch.optim.Adam
#### with tune=yes
#### somebody else's
import torch
from mylib import SGD
optimizer = SGD(params)
#### with tune=yes
