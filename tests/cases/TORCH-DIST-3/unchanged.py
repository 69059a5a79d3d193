#### nothing sets a device
import os, torch
torch.distributed.init_process_group('nccl')
model = model.cuda()
#### findings
2 manual
#### the device is set
import torch
torch.cuda.set_device(args.local_rank)
torch.distributed.init_process_group('nccl')
#### the device is set, once migrated
import torch
torch.npu.set_device(rank)
torch.distributed.init_process_group('hccl')
#### another file that is imported sets it
import torch
import helper
def main():
    helper.prepare()
    torch.distributed.init_process_group('nccl')
#### file helper.py
import torch
def prepare():
    torch.cuda.set_device(0)
#### the file that imports this one sets it
import torch
def setup():
    torch.distributed.init_process_group('nccl')
#### file train.py
import torch
import main
torch.cuda.set_device(1)
main.setup()
#### the group is given its device
import torch
torch.distributed.init_process_group('hccl', device_id=torch.device('npu', 0))
#### processes without an NPU
import torch
torch.distributed.init_process_group('gloo')
#### processes without an NPU, through a variable
import torch
backend = 'gloo'
torch.distributed.init_process_group(backend=backend)
#### processes without an NPU, by the default of a function that processes start with
import torch
from multiprocessing import Process
def run(rank, backend='gloo'):
    torch.distributed.init_process_group(backend, rank=rank)
Process(target=run, args=(0,)).start()
#### a default that a call replaces
import torch
def run(rank, backend='gloo'):
    torch.distributed.init_process_group(backend, rank=rank)
run(0, choose())
#### findings
3 manual
#### somebody else's function
from mylib import init_process_group
init_process_group('nccl')
#### the rank has a name
import torch
def main(args):
    torch.distributed.init_process_group(args.backend)
    model.to(args.local_rank)
#### findings
3 manual
#### said once a file
import torch
if a:
    torch.distributed.init_process_group('nccl')
else:
    torch.distributed.init_process_group('nccl', rank=0)
#### findings
3 manual
#### a process that sees its own device only
import os
import torch.distributed as dist
os.environ["CUDA_VISIBLE_DEVICES"] = f"{get_rank() % 8}"
dist.init_process_group(backend="nccl")
#### a process that sees what the user lists
import os
import torch.distributed as dist
os.environ["CUDA_VISIBLE_DEVICES"] = args.gpus
dist.init_process_group(backend="nccl")
#### findings
4 manual
