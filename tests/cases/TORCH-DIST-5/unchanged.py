#### a function reaches into a model that it is given
import torch
def save(model, path):
    torch.save(model.module.state_dict(), path)
net = torch.nn.DataParallel(net)
save(net, path)
#### findings
4 manual
#### what only the wrapper has
import torch
net = torch.nn.DataParallel(net)
x = x.to(net.device_ids[0])
#### findings
2 manual
#### the module inside is that of another wrapper too
import torch
if args.distributed:
    model = torch.nn.parallel.DistributedDataParallel(model)
else:
    model = torch.nn.DataParallel(model)
torch.save(model.module.state_dict(), path)
#### findings
5 manual
#### a file beside it reaches into a model that it is given
import torch
import utils
net = torch.nn.DataParallel(net)
utils.save(net)
#### file utils.py
import torch
def save(model):
    torch.save(model.module.state_dict(), 'net.pt')
#### findings
3 manual
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
