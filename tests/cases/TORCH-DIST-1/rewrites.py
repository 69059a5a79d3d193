#### the first argument
import torch.distributed as dist
dist.init_process_group('nccl', rank=rank, world_size=size)
#### after
import torch.distributed as dist
dist.init_process_group('hccl', rank=rank, world_size=size)
#### findings
2 auto
#### by name, other quotes, an imported function
from torch.distributed import init_process_group
init_process_group(backend="nccl", init_method='env://')
#### after
from torch.distributed import init_process_group
init_process_group(backend="hccl", init_method='env://')
#### a backend for each kind of device
import torch
torch.distributed.init_process_group("cpu:gloo,cuda:nccl")
#### after
import torch
torch.distributed.init_process_group("cpu:gloo,npu:hccl")
#### a new group
import torch.distributed as dist
group = dist.new_group([0, 1], None, 'nccl')
other = dist.new_group(ranks=[0], backend='nccl')
#### after
import torch.distributed as dist
group = dist.new_group([0, 1], None, 'hccl')
other = dist.new_group(ranks=[0], backend='hccl')
#### chosen on the spot
import torch
torch.distributed.init_process_group('nccl' if gpu else 'gloo')
#### after
import torch
torch.distributed.init_process_group('hccl' if gpu else 'gloo')
#### through a variable of any name
import torch.distributed as dist
comm = 'nccl' # 'nccl', 'gloo', etc.
def main():
    dist.init_process_group(comm)
#### after
import torch.distributed as dist
comm = 'hccl' # 'nccl', 'gloo', etc.
def main():
    dist.init_process_group(comm)
#### an option and what asks about it
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument('--dist-backend', default='nccl', type=str, help='nccl or gloo')
args = parser.parse_args()
if n == 1 and args.dist_backend == "nccl":
    pass
torch.distributed.init_process_group(backend=args.dist_backend)
#### after
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument('--dist-backend', default='hccl', type=str, help='nccl or gloo')
args = parser.parse_args()
if n == 1 and args.dist_backend == "hccl":
    pass
torch.distributed.init_process_group(backend=args.dist_backend)
#### findings
3 auto
5 auto
#### the choices of an option grow
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument('--backend', default='nccl', choices=['nccl', 'gloo'])
#### after
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument('--backend', default='hccl', choices=['hccl', 'nccl', 'gloo'])
#### an attribute of a config
import torch
class Config:
    DIST_BACKEND = 'nccl'
    def set(self, args):
        args.dist_backend = 'nccl'
options = {'backend': 'nccl', 'world_size': 2}
def setup(rank, backend='nccl', *, other_backend='nccl'):
    pass
#### after
import torch
class Config:
    DIST_BACKEND = 'hccl'
    def set(self, args):
        args.dist_backend = 'hccl'
options = {'backend': 'hccl', 'world_size': 2}
def setup(rank, backend='hccl', *, other_backend='hccl'):
    pass
#### an argument of a function of the project
import torch.distributed as dist
def setup(rank, how):
    dist.init_process_group(how, rank=rank)
setup(0, 'nccl')
#### after
import torch.distributed as dist
def setup(rank, how):
    dist.init_process_group(how, rank=rank)
setup(0, 'hccl')
#### what torch answers
import torch.distributed as dist
if dist.get_backend() == 'nccl':
    device = 0
backend = dist.get_backend(group)
assert backend in ["gloo", "nccl"]
#### after
import torch.distributed as dist
if dist.get_backend() == 'hccl':
    device = 0
backend = dist.get_backend(group)
assert backend in ["gloo", "hccl"]
#### the switch does not change comparisons
import torch.distributed as dist
dist.init_process_group('nccl')
if dist.get_backend() == 'nccl':
    device = 0
#### with style=transfer
#### after
import torch.distributed as dist
dist.init_process_group('nccl')
if dist.get_backend() == 'hccl':
    device = 0
#### findings
3 auto
#### the switch does not know backends by device
import torch.distributed as dist
dist.init_process_group('cpu:gloo,cuda:nccl')
#### with style=transfer
#### after
import torch.distributed as dist
dist.init_process_group('cpu:gloo,npu:hccl')
#### from the environment
import os, torch
backend = os.environ.get('BACKEND', 'nccl')
other = os.getenv('DIST_BACKEND', "nccl")
#### after
import os, torch
backend = os.environ.get('BACKEND', 'hccl')
other = os.getenv('DIST_BACKEND', "hccl")
#### in capitals
import torch
BACKEND = 'NCCL'
#### after
import torch
BACKEND = 'HCCL'
#### what a function gives
import torch
def pick_backend(gpu):
    if gpu:
        return 'nccl'
    return 'gloo'
#### after
import torch
def pick_backend(gpu):
    if gpu:
        return 'hccl'
    return 'gloo'
#### deepspeed
import deepspeed
deepspeed.init_distributed('nccl')
deepspeed.init_distributed(dist_backend='nccl')
#### after
import deepspeed
deepspeed.init_distributed('hccl')
deepspeed.init_distributed(dist_backend='hccl')
#### looked up on the spot
import torch
backend = {'gpu': 'nccl', 'cpu': 'gloo'}[kind]
#### after
import torch
backend = {'gpu': 'hccl', 'cpu': 'gloo'}[kind]
#### choices of another library, and of a type
import click, torch
from typing import Literal
@click.option('--backend', default='nccl', type=click.Choice(['nccl', 'gloo']))
def main(backend: Literal['gloo', 'nccl'] = 'nccl'):
    pass
#### after
import click, torch
from typing import Literal
@click.option('--backend', default='hccl', type=click.Choice(['hccl', 'nccl', 'gloo']))
def main(backend: Literal['gloo', 'hccl', 'nccl'] = 'hccl'):
    pass
#### arguments that are unpacked
import os, torch
torch.distributed.init_process_group(**{'backend': 'nccl'})
os.environ['BACKEND'] = 'nccl'
parser.set_defaults(backend='nccl')
#### after
import os, torch
torch.distributed.init_process_group(**{'backend': 'hccl'})
os.environ['BACKEND'] = 'hccl'
parser.set_defaults(backend='hccl')
#### processes that are started with it
import torch.multiprocessing as mp
import torch.distributed as dist
def work(rank, size, backend):
    dist.init_process_group(backend, rank=rank, world_size=size)
mp.spawn(work, args=(2, 'nccl'), nprocs=2)
p = mp.Process(target=work, args=(0, 2, 'nccl'))
#### after
import torch.multiprocessing as mp
import torch.distributed as dist
def work(rank, size, backend):
    dist.init_process_group(backend, rank=rank, world_size=size)
mp.spawn(work, args=(2, 'hccl'), nprocs=2)
p = mp.Process(target=work, args=(0, 2, 'hccl'))
#### settings that another framework's helper keeps
import tensorflow as tf

hparams = tf.contrib.training.HParams(epochs=500, dist_backend="nccl")
#### with frameworks=torch,tensorflow
#### file train.py
import torch.distributed as dist
from main import hparams

dist.init_process_group(backend=hparams.dist_backend)
#### after
import tensorflow as tf

hparams = tf.contrib.training.HParams(epochs=500, dist_backend="hccl")
