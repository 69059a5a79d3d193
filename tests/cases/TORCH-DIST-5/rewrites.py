#### wrapped where there are several devices
import torch
from torch import nn
model = nn.Linear(1, 1)
if torch.cuda.device_count() > 1:
    print('several')
    model = nn.DataParallel(model)
model = model.cuda()
#### after
import torch
from torch import nn
model = nn.Linear(1, 1)
if torch.cuda.device_count() > 1:
    print('several')
model = model.cuda()
#### findings
6 auto-check
#### the only statement, an attribute, a count in a variable
import torch
class Trainer:
    def __init__(self, model):
        n_gpu = torch.cuda.device_count()
        self.model = model
        if n_gpu > 1:  # all of them
            self.model = torch.nn.DataParallel(self.model, device_ids=list(range(n_gpu)))
#### after
import torch
class Trainer:
    def __init__(self, model):
        n_gpu = torch.cuda.device_count()
        self.model = model
        if n_gpu > 1:  # all of them
            pass
#### once migrated, the other way round, beside another condition
import torch
if args.parallel and 2 <= torch.npu.device_count():
    net = torch.nn.parallel.DataParallel(net)
#### after
import torch
if args.parallel and 2 <= torch.npu.device_count():
    pass
#### a count kept in an attribute
import torch
def main(args):
    args.n_gpu = torch.cuda.device_count() if args.local_rank == -1 else 1
    if args.local_rank != -1:
        model = torch.nn.parallel.DistributedDataParallel(model)
    elif args.n_gpu > 1:
        model = torch.nn.DataParallel(model)
#### after
import torch
def main(args):
    args.n_gpu = torch.cuda.device_count() if args.local_rank == -1 else 1
    if args.local_rank != -1:
        model = torch.nn.parallel.DistributedDataParallel(model)
    elif args.n_gpu > 1:
        pass
#### the module inside is used first
import torch
if torch.cuda.device_count() > 1:
    model = torch.nn.DataParallel(model)
saved = model.module if hasattr(model, 'module') else model
if isinstance(model, torch.nn.parallel.DistributedDataParallel):
    print(model.module)
#### after
import torch
if torch.cuda.device_count() > 1:
    pass
saved = model.module if hasattr(model, 'module') else model
if isinstance(model, torch.nn.parallel.DistributedDataParallel):
    print(model.module)
#### wrapped whatever there is, and the module inside saved
import torch
net = torch.nn.DataParallel(net)  # all GPUs
torch.save(net.module.state_dict(), path)
#### after
import torch
# all GPUs
torch.save(net.state_dict(), path)
#### findings
2 auto-check
#### moved to the devices in the same breath
import torch
model = torch.nn.DataParallel(model, device_ids=[0, 1]).cuda()
#### after
import torch
model = model.cuda()
#### a model that is made there
import torch
net = torch.nn.DataParallel(
    Net(10),  # ten classes
    device_ids=args.gpus)
print(net.module.classes, net.module)
#### after
import torch
# ten classes
net = Net(10)
print(net.classes, net)
#### the module inside is reached where there was one device too
import torch
if torch.cuda.device_count() > 1:
    model = torch.nn.DataParallel(model)
torch.save(model.module.state_dict(), path)
#### after
import torch
if torch.cuda.device_count() > 1:
    pass
torch.save(model.state_dict(), path)
#### the result has another name
import torch
if torch.cuda.device_count() > 1:
    parallel_model = torch.nn.DataParallel(model)
#### after
import torch
if torch.cuda.device_count() > 1:
    parallel_model = model
#### the other branch is the one without
import torch
if torch.cuda.device_count() > 1:
    pass
else:
    model = torch.nn.DataParallel(model)
#### after
import torch
if torch.cuda.device_count() > 1:
    pass
else:
    pass
#### a number the user gives
import torch
if args.gpus > 1:
    model = torch.nn.DataParallel(model)
#### after
import torch
if args.gpus > 1:
    pass
#### a part of a model
import torch
model.features = torch.nn.DataParallel(model.features)
#### after
import torch
#### two models
import torch
netG, netD = Generator(), Discriminator()
netG = torch.nn.DataParallel(netG)
netD = torch.nn.DataParallel(netD)
save(netG.module, netD.module)
#### after
import torch
netG, netD = Generator(), Discriminator()
save(netG, netD)
#### given to a function at once
import torch
train(torch.nn.DataParallel(model), loader)
#### after
import torch
train(model, loader)
#### the switch does not help either
import torch
net = torch.nn.DataParallel(net)
#### with style=transfer
#### after
import torch
#### several devices are asked for, which another rule sees to
import torch
if torch.cuda.device_count() > 1:
    net = torch.nn.DataParallel(net)
#### with add_distribution=yes
#### after
import torch
if torch.cuda.device_count() > 1:
    pass
#### findings
3 auto
#### batches that only the wrapper moved to the device
import torch
from torch.utils.data import DataLoader

loader = DataLoader(data)
model = torch.nn.DataParallel(net.cuda())
for batch in loader:
    loss = model([batch["image"].cuda(), batch["boxes"]], names=batch["names"])
for images, labels in loader:
    labels = labels.cuda()
    loss = model(images, labels, 3)
#### after
import torch
from torch.utils.data import DataLoader

loader = DataLoader(data)
model = net.cuda()
def beside(value, model):
    """Move tensors, also those in lists and dictionaries, to the device of a model."""
    if isinstance(value, torch.Tensor):
        return value.to(next(model.parameters()).device)
    if isinstance(value, dict):
        return {key: beside(item, model) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [beside(item, model) for item in value]
    return value


for batch in loader:
    loss = model([batch["image"].cuda(), beside(batch["boxes"], model)], names=beside(batch["names"], model))
for images, labels in loader:
    labels = labels.cuda()
    loss = model(beside(images, model), labels, 3)
#### where one device trained without the wrapper, the script moves them itself
import torch
from torch.utils.data import DataLoader

if torch.cuda.device_count() > 1:
    model = torch.nn.DataParallel(model)
for images in DataLoader(data):
    loss = model(images)
#### after
import torch
from torch.utils.data import DataLoader

if torch.cuda.device_count() > 1:
    pass
for images in DataLoader(data):
    loss = model(images)
