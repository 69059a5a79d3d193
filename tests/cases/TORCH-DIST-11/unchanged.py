#### nobody asked for it
import torch
from torch.utils.data import DataLoader
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    model(x).mean().backward()
    optimizer.step()
#### nothing is trained
import torch
model = torch.nn.Linear(1, 1)
print(model(torch.zeros(1, 1)))
#### with add_distribution=yes
#### it trains on several devices already
import torch
import torch.distributed as dist
from torch.utils.data import DataLoader
dist.init_process_group('hccl')
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    model(x).mean().backward()
    optimizer.step()
#### with add_distribution=yes
#### findings
4 info
#### another library does
import torch
from accelerate import Accelerator
accelerator = Accelerator()
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in torch.utils.data.DataLoader(data):
    loss = model(x).mean()
    accelerator.backward(loss)
    optimizer.step()
#### with add_distribution=yes
#### findings
2 info
#### samples that are cut by hand
import torch
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(0, 100, 10):
    model(data[step:step + 10]).mean().backward()
    optimizer.step()
#### with add_distribution=yes
#### findings
5 manual
#### samples without indices, drawn in each process
import torch
from torch.utils.data import DataLoader, IterableDataset
class Stream(IterableDataset):
    def __iter__(self):
        return iter(torch.randperm(10))
model = torch.nn.Linear(1, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(Stream()):
    model(x).mean().backward()
    optimizer.step()
#### with add_distribution=yes
#### findings
8 manual
#### the loss is a method of the model, whose gradients nothing would average
import torch
from torch.utils.data import DataLoader
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    loss = model.loss(x)
    loss.backward()
    optimizer.step()
#### with add_distribution=yes
#### findings
3 manual
#### a tensor is trained beside the model
import torch
from torch.utils.data import DataLoader
model = Net()
scale = torch.zeros(1, requires_grad=True)
optimizer = torch.optim.SGD([*model.parameters(), scale * 1], lr=0.1)
for x in DataLoader(data):
    model(x).mean().backward()
    optimizer.step()
#### with add_distribution=yes
#### findings
5 manual
#### a model that is kept out of sight
import torch
from torch.utils.data import DataLoader
model = Net()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in DataLoader(data):
    registry['model'] = model
    model(x).mean().backward()
    optimizer.step()
#### with add_distribution=yes
#### findings
6 manual
#### no optimizer
import torch
from torch.utils.data import DataLoader
model = Net()
for x in DataLoader(data):
    model(x).mean().backward()
#### with add_distribution=yes
#### findings
5 manual
#### it was made so before
import torch
import npu_ddp
from torch.utils.data import DataLoader
npu_ddp.init()
model = npu_ddp.wrap(torch.nn.Linear(1, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x in npu_ddp.share(DataLoader(data)):
    model(x).mean().backward()
    optimizer.step()
#### with add_distribution=yes
#### a model that is moved to the device where nothing keeps it
import torch
from torch.utils.data import DataLoader
def fit(net, optimizer):
    for x in DataLoader(data):
        net.to(args.device)(x).mean().backward()
        optimizer.step()
model = torch.nn.Linear(1, 1)
fit(model, torch.optim.SGD(model.parameters(), lr=0.1))
#### with add_distribution=yes
#### findings
5 manual
