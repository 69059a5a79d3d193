#### an attribute of the project's own
import torch

args.is_cuda = torch.cuda.is_available()
if args.is_cuda:
    pass
#### findings
4 possible
#### an option
import torch

parser.add_argument('--is_cuda', action='store_true')
if args.is_cuda:
    pass
#### findings
4 possible
#### a property of the project
import torch


class Box:
    @property
    def is_cuda(self):
        return self.flag


print(Box().is_cuda)
#### with defined=is_cuda
#### someone in the project defines it
import torch


def run(box):
    return box.is_cuda
#### with defined=is_cuda
#### findings
5 possible
#### the switch answers to it
import torch

if torch.zeros(3).is_cuda:
    pass
#### with style=transfer
#### a flag of the object itself
import torch


class Trainer:
    def __init__(self):
        self.is_cuda = True

    def run(self):
        return self.is_cuda
#### a variable of the name
import torch

is_cuda = torch.cuda.is_available()
if is_cuda:
    pass
#### migrated already
import torch

if torch.zeros(3).is_npu:
    pass
#### a text
import torch

print('is_cuda')
