#### the NPU is there already
import torch

if x.device.type in ('cuda', 'npu'):
    pass
if x.device.type == 'npu':
    pass
#### words of the program's own
import torch

mode = 'cuda'
if mode == 'cuda':
    pass
#### nobody knows what it is
import torch
from library import backend

if backend.kind == 'cuda':
    pass
if 'cuda' in torch.__config__.show():
    pass
if 'cuda' in sys.modules:
    pass
#### findings
4 possible
6 possible
8 possible
#### keys of a table that something else asks
import torch

names = {'cuda': 1, 'cpu': 2}
print(names['cuda'], names[mode])
#### under the switch a text of the program's own stays what it is
import torch

device = 'cuda'
if device == 'cuda' or args.device == 'cuda':
    x = torch.zeros(3, device=device)
#### with style=transfer
#### other texts
import torch

if path.startswith('cuda_kernels') or name == 'CUDA':
    pass
#### arguments of other methods
import torch

x = x.to('cuda')
print('cuda'.upper())
#### a comparison of constants
import torch

if 'cuda' in ('cuda', 'cpu'):
    pass
#### under the switch the text of something that may be a device
import torch


def run(device):
    return str(device).replace('cuda:', '')
#### with style=transfer
#### findings
5 possible
#### a program that knows NPUs
import torch

if x.device.type == 'cuda':
    first()
elif x.device.type == 'npu':
    second()
if device.type == 'cuda' or device.type == 'npu':
    third()
#### findings
3 info
7 info
#### calls that make other tables
import torch
device = torch.device('npu')
a = dict(cuda=64, npu=64)[device.type]
b = dict(cuda=1, cpu=2)
for name, value in b.items():
    print(name, value)
c = dict(cuda=1)["name"]
d = options(cuda=1)[device.type]
#### findings
