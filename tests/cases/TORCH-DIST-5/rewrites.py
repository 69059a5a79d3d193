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
#### the module inside is asked for first
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
