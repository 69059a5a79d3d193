#### paths, urls, messages and remarks
"""Trains on cuda."""
import os
import logging
import torch

home = '/usr/local/cuda:/opt'
url = 'https://example.org/cuda'
print('cuda')
logging.info('cuda')
raise RuntimeError('cuda')
#### keys of the program's own
import torch

times = {'cuda': 0.0, 'cpu': 0.0}
times['cuda'] += 1
print(times.get('cuda'))
#### texts that only begin alike
import torch

a = 'cuda_time_total'
b = f'cuda_{rank}.log'
c = 'cuda:{} is full'.format(rank)
d = 'cudnn'
e = "CUDA"
torch.save(model, 'cuda.pt')
#### names of options
import argparse
import torch

parser = argparse.ArgumentParser()
parser.add_argument('--cuda', dest='cuda', metavar='cuda', help='cuda', action='store_true')
#### a word that is only compared with the program's own
import torch

mode = 'cuda'
if mode == other:
    run()
#### findings
3 info
#### nobody knows where it goes
import torch
from library import build

build('cuda')
model.backend('cuda:0')
kernels = 'cuda'
#### findings
4 possible
5 possible
6 possible
#### libraries that are not PyTorch's
import torch
import cupy

cupy.array(x, device='cuda')
#### findings
4 possible
#### an object of the project that has its own to()
import torch


class Zone:
    def to(self, name):
        self.zones.append(name)


Zone().to('cuda')
#### findings
9 possible
#### the switch translates arguments at run time
import torch

device = torch.device('cuda' if torch.cuda.is_available() else 'cpu')
x = torch.zeros(3, device='cuda').to('cuda:0').to(device)
#### with style=transfer
#### migrated already
import torch
import torch_npu

device = torch.device('npu:0')
x = torch.zeros(3, device='npu')
#### literals in calls that have rules of their own
import torch
from torchvision.io import decode_jpeg

with torch.autocast('cuda'):
    pass
image = decode_jpeg(data, device='cuda')
#### what a mention of a type says
import torch


def run(x: 'cuda'):
    'cuda'
    return x
#### kept and only shown
import torch

label = 'cuda'
print(label)
#### findings
3 info
#### an attribute of the name in another class
import torch


class Report:
    def __init__(self):
        self.kind = 'cuda'
        self.label = 'cuda'
        print(self.kind)


def run(thing, x):
    return x.to(thing.label)


class Trainer:
    def __init__(self, kind):
        self.kind = kind

    def run(self, x):
        return x.to(self.kind)
#### findings
6 info
7 possible
#### names that only look like devices
import torch

a = 'cuda0'
b = 'cuda:x'
#### a program that knows NPUs
import torch

supported = ('cuda', 'npu', 'xpu')
names = {'nvidia': 'cuda', 'ascend': 'npu'}
for device in ['cuda:0', 'npu:0']:
    model.to(device)
model.to(names[vendor])
