#### other backends
import torch.distributed as dist
dist.init_process_group('gloo')
dist.init_process_group('hccl')
#### words in a message
import torch
print("nccl backend >= 2.5 requires more than one GPU")
log(f'nccl {version}')
#### a docstring and a remark
import torch
def setup():
    """nccl"""  # nccl
    'nccl'
#### names of variables belong to another rule
import os, torch
os.environ['NCCL_DEBUG'] = 'INFO'
#### a path
import torch
path = '/opt/nccl'
library = 'libnccl.so'
#### the vendor's tool makes every literal hccl; a table's key is looked at by a person
import torch
timeouts = {'nccl': 30, 'gloo': 60}
#### findings
2 manual
#### an argument nobody knows
import torch
start(worker, 'nccl')
#### findings
2 manual
#### the switch covers what reaches init_process_group
import torch, argparse
parser = argparse.ArgumentParser()
parser.add_argument('--backend', default='nccl', choices=['nccl', 'gloo'])
args = parser.parse_args()
if args.backend == 'nccl':
    pass
torch.distributed.init_process_group(args.backend)
#### with style=transfer
#### choices that have it already
import argparse, torch
parser = argparse.ArgumentParser()
parser.add_argument('--backend', default='hccl', choices=['hccl', 'nccl', 'gloo'])
#### part of another word
import torch
kind = 'nccl2'
#### a table of backends that has one for NPUs
import torch
backends = {'cuda': 'nccl', 'npu': 'hccl', 'cpu': 'gloo'}
torch.distributed.init_process_group(backends[device])
