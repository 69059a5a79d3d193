#### torch.device, by position and by name
import torch

a = torch.device("cuda")
b = torch.device('cuda:1')
c = torch.device(type='cuda', index=0)
#### after
import torch

a = torch.device("npu")
b = torch.device('npu:1')
c = torch.device(type='npu', index=0)
#### findings
3 auto
4 auto
5 auto
#### the alias and the quotes of the user stay
import torch as th
from torch import device as dev

a = th.zeros(3, device=u"cuda")
b = dev('''cuda''')
c = th.tensor([1], device=r'cuda:0')
#### after
import torch as th
from torch import device as dev

a = th.zeros(3, device=u"npu")
b = dev('''npu''')
c = th.tensor([1], device=r'npu:0')
#### a condition on both sides
import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
other = torch.device("cpu" if args.cpu else "cuda")
#### after
import torch

device = torch.device("npu:0" if torch.cuda.is_available() else "cpu")
other = torch.device("cpu" if args.cpu else "npu")
#### every way to put a device together
import torch

a = torch.device(f"cuda:{rank}")
b = torch.device("cuda:%d" % rank)
c = torch.device("cuda:%s" % args.gpu)
d = torch.device("cuda:" + str(rank))
e = torch.device("cuda:{}".format(rank))
f = torch.device("cuda" + ":" + str(rank))
g = torch.device(F'cuda:{local["rank"]}')
#### after
import torch

a = torch.device(f"npu:{rank}")
b = torch.device("npu:%d" % rank)
c = torch.device("npu:%s" % args.gpu)
d = torch.device("npu:" + str(rank))
e = torch.device("npu:{}".format(rank))
f = torch.device("npu" + ":" + str(rank))
g = torch.device(F'npu:{local["rank"]}')
#### findings
3 auto
4 auto
5 auto
6 auto
7 auto
8 auto
9 auto
#### methods of tensors and modules, known or not
import torch
from torch import nn

x = torch.zeros(3).to("cuda")
m = nn.Linear(1, 1).to(device='cuda', dtype=torch.half)


def forward(self, y):
    y = y.to('cuda', non_blocking=True)
    return y.new_zeros(3, device='cuda')
#### after
import torch
from torch import nn

x = torch.zeros(3).to("npu")
m = nn.Linear(1, 1).to(device='npu', dtype=torch.half)


def forward(self, y):
    y = y.to('npu', non_blocking=True)
    return y.new_zeros(3, device='npu')
#### constructors of modules, generators, loaders
import torch
from torch import nn
from torch.utils.data import DataLoader

a = nn.Linear(3, 4, True, 'cuda')
b = torch.Generator(device='cuda').manual_seed(1)
c = DataLoader(data, pin_memory=True, pin_memory_device='cuda')
torch.set_default_device('cuda')
torch.cuda.set_device('cuda:1')
torch.cuda.synchronize(device='cuda:1')
d = torch.as_tensor(values, torch.float, 'cuda')
#### after
import torch
from torch import nn
from torch.utils.data import DataLoader

a = nn.Linear(3, 4, True, 'npu')
b = torch.Generator(device='npu').manual_seed(1)
c = DataLoader(data, pin_memory=True, pin_memory_device='npu')
torch.set_default_device('npu')
torch.cuda.set_device('npu:1')
torch.cuda.synchronize(device='npu:1')
d = torch.as_tensor(values, torch.float, 'npu')
#### a variable, a chain of them, and a text that begins with it
import torch

kind = 'cuda'
name = kind
x = torch.ones(3, device=name)
y = torch.ones(3, device=f"{kind}:{rank}")
z = torch.ones(3, device=kind + ":0")
#### after
import torch

kind = 'npu'
name = kind
x = torch.ones(3, device=name)
y = torch.ones(3, device=f"{kind}:{rank}")
z = torch.ones(3, device=kind + ":0")
#### findings
3 auto
#### only the assignment that reaches the device
import torch

name = 'cuda'
print(name)
name = 'cuda:0'
x = torch.ones(3).to(name)
#### after
import torch

name = 'cuda'
print(name)
name = 'npu:0'
x = torch.ones(3).to(name)
#### findings
3 info
5 auto
#### a constant of another file
from settings import WHERE
import torch

torch.zeros(3, device=WHERE)
kind = 'cuda'
#### file use.py
import main
import torch

torch.zeros(3, device=main.kind)
#### file settings.py
WHERE = 'cuda'
#### after
from settings import WHERE
import torch

torch.zeros(3, device=WHERE)
kind = 'npu'
#### a parameter's default, an argument, a keyword
import torch


def load(path, where='cuda', *, to="cuda:0"):
    return torch.load(path, map_location=where).to(to)


load('a', 'cuda:1', to='cuda:2')
#### after
import torch


def load(path, where='npu', *, to="npu:0"):
    return torch.load(path, map_location=where).to(to)


load('a', 'npu:1', to='npu:2')
#### findings
4 auto
4 auto
8 auto
8 auto
#### attributes of an object
import torch


class Trainer:
    kind = 'cuda'

    def __init__(self, place='cuda:0'):
        self.place = place
        self.spare = 'cuda:1'

    def run(self, x):
        return x.to(self.place), x.to(self.spare), x.to(self.kind)


Trainer(place='cuda:3')
Trainer('cuda:4')
#### after
import torch


class Trainer:
    kind = 'npu'

    def __init__(self, place='npu:0'):
        self.place = place
        self.spare = 'npu:1'

    def run(self, x):
        return x.to(self.place), x.to(self.spare), x.to(self.kind)


Trainer(place='npu:3')
Trainer('npu:4')
#### the result of a function and of a property
import torch


def where(rank):
    if rank is None:
        return 'cuda'
    return f'cuda:{rank}'


class Run:
    @property
    def place(self):
        return 'cuda:0'

    def go(self, x):
        return x.to(self.place)


model.to(where(0))
#### after
import torch


def where(rank):
    if rank is None:
        return 'npu'
    return f'npu:{rank}'


class Run:
    @property
    def place(self):
        return 'npu:0'

    def go(self, x):
        return x.to(self.place)


model.to(where(0))
#### entries of dictionaries and arguments unpacked from them
import torch

options = {'where': 'cuda', 'name': 'run'}
x = torch.zeros(3).to(options['where'])
y = torch.zeros(3).to(options.get('where'))
more = dict(device='cuda:0')
z = torch.zeros(3, **more)
config['place'] = 'cuda:1'
w = torch.zeros(3).to(config['place'])
#### after
import torch

options = {'where': 'npu', 'name': 'run'}
x = torch.zeros(3).to(options['where'])
y = torch.zeros(3).to(options.get('where'))
more = dict(device='npu:0')
z = torch.zeros(3, **more)
config['place'] = 'npu:1'
w = torch.zeros(3).to(config['place'])
#### items of lists, loops, comprehensions and unpacking
import torch

for where in ('cpu', 'cuda'):
    torch.zeros(3, device=where)
places = [f'cuda:{i}' for i in range(4)]
x = torch.zeros(3).to(places[0])
first, count = 'cuda', 3
y = torch.zeros(count, device=first)
moved = [x.to(p) for p in ['cuda:0', 'cuda:1']]
#### after
import torch

for where in ('cpu', 'npu'):
    torch.zeros(3, device=where)
places = [f'npu:{i}' for i in range(4)]
x = torch.zeros(3).to(places[0])
first, count = 'npu', 3
y = torch.zeros(count, device=first)
moved = [x.to(p) for p in ['npu:0', 'npu:1']]
#### defaults of look-ups
import os
import torch

a = torch.device(os.environ.get('WHERE', 'cuda'))
b = torch.device(getattr(args, 'where', 'cuda:0'))
c = torch.device(os.getenv('WHERE') or 'cuda')
#### after
import os
import torch

a = torch.device(os.environ.get('WHERE', 'npu'))
b = torch.device(getattr(args, 'where', 'npu:0'))
c = torch.device(os.getenv('WHERE') or 'npu')
#### options of argparse, click and absl
import argparse
import click
import torch
from absl import flags

parser = argparse.ArgumentParser()
parser.add_argument('-w', '--where-to', default='cuda', help='cuda or cpu')
parser.add_argument('--gpu', dest='place', default="cuda:0")
args = parser.parse_args()
flags.DEFINE_string('where', 'cuda', 'cuda or cpu')
torch.device(args.where_to), torch.device(args.place), torch.device(flags.FLAGS.where)


@click.command()
@click.option('--where', default='cuda')
def main(where):
    torch.device(where)
#### after
import argparse
import click
import torch
from absl import flags

parser = argparse.ArgumentParser()
parser.add_argument('-w', '--where-to', default='npu', help='cuda or cpu')
parser.add_argument('--gpu', dest='place', default="npu:0")
args = parser.parse_args()
flags.DEFINE_string('where', 'npu', 'cuda or cpu')
torch.device(args.where_to), torch.device(args.place), torch.device(flags.FLAGS.where)


@click.command()
@click.option('--where', default='npu')
def main(where):
    torch.device(where)
#### findings
7 auto
8 auto
10 auto
15 auto
#### an option that another file reads
import argparse
from engine import train

parser = argparse.ArgumentParser()
parser.add_argument('--where', default='cuda')
train(parser.parse_args())
#### file engine.py
import torch


def train(args):
    torch.device(args.where)
#### after
import argparse
from engine import train

parser = argparse.ArgumentParser()
parser.add_argument('--where', default='npu')
train(parser.parse_args())
#### findings
5 auto
#### fields of dataclasses
from dataclasses import dataclass, field

import torch


@dataclass
class Config:
    where: str = 'cuda'
    other: str = field(default='cuda:0')


def run(config: Config, x):
    return x.to(config.where), x.to(config.other)


run(Config(where='cuda:1'), torch.zeros(3))
#### after
from dataclasses import dataclass, field

import torch


@dataclass
class Config:
    where: str = 'npu'
    other: str = field(default='npu:0')


def run(config: Config, x):
    return x.to(config.where), x.to(config.other)


run(Config(where='npu:1'), torch.zeros(3))
#### only a name tells: rewritten, to be checked
import torch
from library import build

args.device = "cuda"
model = build(device='cuda:0')
command = ['train.py', '--device', 'cuda']
#### after
import torch
from library import build

args.device = "npu"
model = build(device='npu:0')
command = ['train.py', '--device', 'npu']
#### findings
4 auto-check
5 auto-check
6 auto-check
#### some uses cannot be followed
import torch
from library import show

where = 'cuda'
torch.zeros(3, device=where)
show(where)
#### after
import torch
from library import show

where = 'npu'
torch.zeros(3, device=where)
show(where)
#### findings
4 auto-check
#### places of wrapped models that are put together
import torch
from torch.nn.parallel import DistributedDataParallel

model = DistributedDataParallel(model, device_ids=[f'cuda:{rank}'])
model = torch.nn.DataParallel(model, device_ids=['cuda:0', 'cuda:1'], output_device='cuda:0')
#### after
import torch
from torch.nn.parallel import DistributedDataParallel

model = DistributedDataParallel(model, device_ids=[f'npu:{rank}'])
model = torch.nn.DataParallel(model, device_ids=['npu:0', 'npu:1'], output_device='npu:0')
#### comments and lines stay
import torch

device = torch.device(
    "cuda"  # the first one
    if args.gpu  # requested
    else "cpu"
)
#### after
import torch

device = torch.device(
    "npu"  # the first one
    if args.gpu  # requested
    else "cpu"
)
#### map_location in all its forms, keys untouched
import torch

a = torch.load(path, map_location='cuda')
b = torch.load(path, 'cuda:%d' % rank)
c = torch.load(path, map_location=torch.device('cuda'))
d = torch.load(path, map_location={'cuda:0': 'cuda:1'})
where = {'cuda:%d' % 0: 'cuda:%d' % rank}
e = torch.load(path, map_location=where)
#### after
import torch

a = torch.load(path, map_location='npu')
b = torch.load(path, 'npu:%d' % rank)
c = torch.load(path, map_location=torch.device('npu'))
d = torch.load(path, map_location={'cuda:0': 'npu:1'})
where = {'cuda:%d' % 0: 'npu:%d' % rank}
e = torch.load(path, map_location=where)
#### methods through their class, partial functions, several targets at once
from functools import partial

import torch

a = torch.Tensor.to(x, 'cuda:0')
b = torch.nn.Module.to(model, device='cuda')
zeros = partial(torch.zeros, device='cuda')
first = second = 'cuda'
c = torch.zeros(3, device=second)
if (where := 'cuda'):
    model.to(where)
#### after
from functools import partial

import torch

a = torch.Tensor.to(x, 'npu:0')
b = torch.nn.Module.to(model, device='npu')
zeros = partial(torch.zeros, device='npu')
first = second = 'npu'
c = torch.zeros(3, device=second)
if (where := 'npu'):
    model.to(where)
#### settings that are handed on as a whole
import torch

MODELS = {'gpu': 'cuda', 'host': 'cpu'}
model.to(MODELS[args.where])
places = []
places.append('cuda:0')
model.to(places[0])


def options():
    return {'place': 'cuda'}


model.to(options()['place'])
where = ('cuda', 'cpu')[int(args.cpu)]
model.to(where)


def make(**more):
    return torch.zeros(3, **more)


make(device='cuda')
#### after
import torch

MODELS = {'gpu': 'npu', 'host': 'cpu'}
model.to(MODELS[args.where])
places = []
places.append('npu:0')
model.to(places[0])


def options():
    return {'place': 'npu'}


model.to(options()['place'])
where = ('npu', 'cpu')[int(args.cpu)]
model.to(where)


def make(**more):
    return torch.zeros(3, **more)


make(device='npu')
#### attributes of a model and of what derives from it
import torch
from torch import nn


class Net(nn.Module):
    kind = 'cuda'

    def __init__(self):
        self.first = 'cuda:0'

    def forward(self, x):
        return x.to(self.first)


class Deeper(Net):
    def forward(self, x):
        return x.to(self.kind)
#### after
import torch
from torch import nn


class Net(nn.Module):
    kind = 'npu'

    def __init__(self):
        self.first = 'npu:0'

    def forward(self, x):
        return x.to(self.first)


class Deeper(Net):
    def forward(self, x):
        return x.to(self.kind)
#### findings
6 auto
9 auto
#### lists that are put together
import torch

places = ['cuda:0'] + ['cpu'] * 2
torch.zeros(3, device=places[0])
#### after
import torch

places = ['npu:0'] + ['cpu'] * 2
torch.zeros(3, device=places[0])
#### settings that another file reads
import torch


class Config:
    device = 'cuda'

    def __init__(self):
        self.spare = 'cuda:1'
#### file train.py
import torch
from main import Config

config = Config()
model.to(config.device)
other.to(config.spare)
#### after
import torch


class Config:
    device = 'npu'

    def __init__(self):
        self.spare = 'npu:1'
#### findings
5 auto
8 auto
#### under the switch a device that is compared with those of tensors
import torch

device = torch.device('cuda:0' if torch.cuda.is_available() else 'cpu')
x = torch.zeros(3, device='cuda')
if x.device != device:
    x = x.to(device)
#### with style=transfer
#### after
import torch

device = torch.device('npu:0' if torch.cuda.is_available() else 'cpu')
x = torch.zeros(3, device='cuda')
if x.device != device:
    x = x.to(device)
#### findings
3 auto
