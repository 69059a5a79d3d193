#### flags keep their names
import argparse

parser = argparse.ArgumentParser()
parser.add_argument('--cuda', action='store_true')
parser.add_argument('--no-cuda', action='store_true', default=False)
parser.add_argument('-c', '--use_cuda', type=bool)
parser.add_argument('--gpu', type=int)
flags.DEFINE_boolean('cuda_graphs', False, 'capture steps')
#### findings
4 info
5 info
6 info
8 info
#### the NPU is offered already
import argparse

parser = argparse.ArgumentParser()
parser.add_argument('--device', default='npu', choices=['cuda', 'npu', 'cpu'])
#### choices of something else
import argparse

parser = argparse.ArgumentParser()
parser.add_argument('--backend', choices=['gloo', 'mpi'])
parser.add_argument('--sort', choices=['cuda_time', 'cpu_time'])
#### the switch accepts what is there
import argparse

parser = argparse.ArgumentParser()
parser.add_argument('--device', choices=['cuda', 'cpu'])
#### with style=transfer
#### lists of other functions
import random

print(random.choice(['cuda', 'cpu']))
#### a default is another rule's
import argparse

parser = argparse.ArgumentParser()
parser.add_argument('--device', default='cuda')
#### choices that are made elsewhere
import argparse

parser = argparse.ArgumentParser()
parser.add_argument('--device', choices=DEVICES)
#### a subscript that is no type
import torch

names['cuda']
#### other commands
import os
import torch

os.system('python train.py --cuda --device-name cuda-fast')
os.system('ls /usr/local/cuda')
