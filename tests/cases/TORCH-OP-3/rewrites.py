#### a model and its inputs
import torch
model = model.to(memory_format=torch.channels_last)
model.to(memory_format=torch.channels_last)
for x in loader:
    x = x.to(device, memory_format=torch.channels_last, non_blocking=True)
    y = x.contiguous(memory_format=torch.channels_last)
    z = torch.empty(2, 3, 4, 4, memory_format=torch.channels_last)
#### after
import torch
for x in loader:
    x = x.to(device, non_blocking=True)
    y = x
    z = torch.empty(2, 3, 4, 4)
#### findings
2 auto
3 auto
5 auto
6 auto
7 auto
