#### both are chosen, or the arguments are not visible
import torch
DDP = torch.nn.parallel.DistributedDataParallel
a = DDP(model, gradient_as_bucket_view=True)
b = DDP(model, gradient_as_bucket_view=False)
c = DDP(model, **options)
d = DDP(*arguments)
#### with tune=yes
#### findings
#### gradients that are detached, replaced, or sent by the program
import torch
model = torch.nn.parallel.DistributedDataParallel(model)
for parameter in model.parameters():
    parameter.grad.detach_()
#### with tune=yes
#### findings
#### gradients that another file replaces
import torch
import steps
model = torch.nn.parallel.DistributedDataParallel(model)
#### file steps.py
def clear(parameters):
    for parameter in parameters:
        parameter.grad = None
#### with tune=yes
#### findings
#### a hook of its own
import torch
model = torch.nn.parallel.DistributedDataParallel(model)
model.register_comm_hook(None, hook)
#### with tune=yes
#### findings
#### gradients that a fused optimizer keeps in one block
import torch
import torch_npu
model = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch_npu.optim.NpuFusedSGD(model.parameters(), lr=0.1)
#### with tune=yes
#### findings
#### another class of that name
from mine import DistributedDataParallel
model = DistributedDataParallel(model)
#### with tune=yes
