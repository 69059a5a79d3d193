#### nobody asked for it
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    model(x).mean().backward()
    optimizer.step()
#### a model that cannot be wrapped: then its data are not divided either
import torch
from torch.utils.data import DataLoader
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    model.loss(x).backward()
    optimizer.step()
#### with add_distribution=yes
#### shared before
import torch
import npu_ddp
from torch.utils.data import DataLoader
model = npu_ddp.wrap(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in npu_ddp.share(DataLoader(data)):
    model(x).mean().backward()
    optimizer.step()
#### with add_distribution=yes
