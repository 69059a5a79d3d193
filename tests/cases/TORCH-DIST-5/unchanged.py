#### wrapped whatever there is
import torch
net = torch.nn.DataParallel(net)
torch.save(net.module.state_dict(), path)
#### findings
2 manual
#### used as an expression
import torch
model = torch.nn.DataParallel(model).cuda()
#### findings
2 manual
#### the module inside is reached later
import torch
if torch.cuda.device_count() > 1:
    model = torch.nn.DataParallel(model)
torch.save(model.module.state_dict(), path)
#### findings
3 manual
#### the result has another name
import torch
if torch.cuda.device_count() > 1:
    parallel_model = torch.nn.DataParallel(model)
#### findings
3 manual
#### the other branch is the one without
import torch
if torch.cuda.device_count() > 1:
    pass
else:
    model = torch.nn.DataParallel(model)
#### findings
5 manual
#### a number the user gives
import torch
if args.gpus > 1:
    model = torch.nn.DataParallel(model)
#### findings
3 manual
#### another comparison
import torch
if torch.cuda.device_count() > 0:
    model = torch.nn.DataParallel(model)
#### findings
3 manual
#### a part of a model
import torch
model.features = torch.nn.DataParallel(model.features)
#### findings
2 manual
#### one process per device is what should be
import torch
model = torch.nn.parallel.DistributedDataParallel(model, device_ids=[0])
#### somebody else's class
from mylib import DataParallel
model = DataParallel(model)
#### a test needs nothing
import torch
from torch import nn
if isinstance(model, nn.DataParallel):
    model = model.module
if isinstance(model, (nn.DataParallel, nn.parallel.DistributedDataParallel)):
    model = model.module
#### findings
3 info
5 info
#### a class derived from it
from torch.nn.parallel import DataParallel
class Balanced(DataParallel):
    pass
#### findings
2 manual
#### passed on
import torch
wrap(torch.nn.DataParallel, model)
#### findings
2 manual
#### the switch does not help either
import torch
net = torch.nn.DataParallel(net)
#### with style=transfer
#### findings
2 manual
#### in a message
import torch
print('torch.nn.DataParallel')
#### another file reaches into the wrapped model
import torch
class Trainer:
    def __init__(self, model):
        self.model = model
        if torch.cuda.device_count() > 1:
            self.model = torch.nn.DataParallel(self.model)
#### file run.py
from main import Trainer
print(Trainer(net).model.module)
#### findings
6 manual
