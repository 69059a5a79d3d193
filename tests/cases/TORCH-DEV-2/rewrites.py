#### the type of a device
import torch


def forward(self, x, device):
    if x.device.type == 'cuda':
        pass
    if "cuda" != self.device.type:
        pass
    if device.type.startswith('cuda') and torch.device(x).type == 'cuda':
        pass
#### after
import torch


def forward(self, x, device):
    if x.device.type == 'npu':
        pass
    if "npu" != self.device.type:
        pass
    if device.type.startswith('npu') and torch.device(x).type == 'npu':
        pass
#### findings
5 auto
7 auto
9 auto
9 auto
#### a device as a text
import torch

device = torch.device(args.where)
if 'cuda' in str(device) or str(device).startswith("cuda:"):
    number = int(str(device).split(':')[1])
    other = str(device).replace('cuda:', '')
if str(device).split(':')[0] == 'cuda':
    pass
if str(device) == f'cuda:{rank}':
    pass
#### after
import torch

device = torch.device(args.where)
if 'npu' in str(device) or str(device).startswith("npu:"):
    number = int(str(device).split(':')[1])
    other = str(device).replace('npu:', '')
if str(device).split(':')[0] == 'npu':
    pass
if str(device) == f'npu:{rank}':
    pass
#### one of several: the NPU is added
import torch

if x.device.type in ('cuda', 'mps'):
    pass
if x.device.type not in ["cpu", "cuda"]:
    pass
if str(x.device).startswith(('cuda', 'xpu')):
    pass
#### after
import torch

if x.device.type in ('cuda', 'npu', 'mps'):
    pass
if x.device.type not in ["cpu", "cuda", "npu"]:
    pass
if str(x.device).startswith(('cuda', 'npu', 'xpu')):
    pass
#### a variable that goes to a device
import torch

where = 'npu'
if where == 'cuda':
    torch.backends.cudnn.benchmark = True
if 'cuda' in where:
    pass
x = torch.zeros(3, device=where)
#### after
import torch

where = 'npu'
if where == 'npu':
    torch.backends.cudnn.benchmark = True
if 'npu' in where:
    pass
x = torch.zeros(3, device=where)
#### findings
4 auto
6 auto
#### an option that goes to a device
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument('--where', default='npu')
args = parser.parse_args()
pin = args.where == 'cuda'
device = torch.device(args.where)
#### after
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument('--where', default='npu')
args = parser.parse_args()
pin = args.where == 'npu'
device = torch.device(args.where)
#### findings
7 auto
#### a parameter whose callers know
import torch


def fused(kind):
    return kind == 'cuda'


where = 'npu'
model.to(where)
fused(where)
#### after
import torch


def fused(kind):
    return kind == 'npu'


where = 'npu'
model.to(where)
fused(where)
#### findings
5 auto
#### only a name tells
import torch

if args.device == 'cuda':
    pass
if get_device_type() == 'cuda':
    pass
#### after
import torch

if args.device == 'npu':
    pass
if get_device_type() == 'npu':
    pass
#### findings
3 auto-check
5 auto-check
#### a table of device types
import torch

dtype = {'cuda': torch.half, 'cpu': torch.float}[x.device.type]
other = {"cuda": torch.half}.get(x.device.type, torch.float)
#### after
import torch

dtype = {'npu': torch.half, 'cpu': torch.float}[x.device.type]
other = {"npu": torch.half}.get(x.device.type, torch.float)
#### the switch makes devices, but does not look into comparisons
import torch

if x.device.type == 'cuda' or x.device == torch.device('cuda:0'):
    pass
#### with style=transfer
#### after
import torch

if x.device.type in ('cuda', 'npu') or x.device == torch.device('npu:0'):
    pass
#### findings
3 auto
3 auto
#### under the switch devices of the program say cuda and tensors say npu
import torch

device = torch.device(args.device)
if device.type != "cuda" or 'cuda' == x.device.type or 'cuda' in x.device.type:
    pass
if str(x.device).startswith('cuda') or 'cuda' in str(x.device) or "cuda" not in str(device):
    pass
#### with style=transfer
#### after
import torch

device = torch.device(args.device)
if device.type not in ("cuda", "npu") or x.device.type in ('cuda', 'npu') or x.device.type in ('cuda', 'npu'):
    pass
if str(x.device).startswith(('cuda', 'npu')) or str(x.device).startswith(('cuda', 'npu')) or (not str(device).startswith(("cuda", "npu"))):
    pass
#### findings
4 auto
4 auto
4 auto
6 auto
6 auto
6 auto
#### a table that is written as a call
import torch
device = torch.device('npu')
size = dict(cuda=64, cpu=8)[device.type]
sizes = dict(cpu=8, cuda=64)
other = sizes[device.type]
#### after
import torch
device = torch.device('npu')
size = dict(npu=64, cpu=8)[device.type]
sizes = dict(cpu=8, npu=64)
other = sizes[device.type]
#### findings
3 auto
4 auto
