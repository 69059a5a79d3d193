#### of something unknown
import torch

getattr(args, 'cuda', False)
hasattr(obj, 'cuda')
#### findings
3 possible
4 possible
#### a method of the project's own
import operator
import torch

map(operator.methodcaller('cuda'), batches)
#### with defined=cuda
#### findings
4 possible
#### other names
import torch

getattr(torch, 'cudnn')
getattr(x, 'cpu')()
#### the switch answers to both
import torch

getattr(torch.zeros(3), 'cuda')()
#### with style=transfer
#### the same word elsewhere
import torch

x = {'cuda': 1}
y = x['cuda']
print('cuda')
#### of another library
import numba
import torch

getattr(numba, 'cuda')
#### an object of the project
import torch


class Flags:
    cuda = False


flags = Flags()
setattr(args, name, 'cuda')
#### migrated already
import torch

getattr(torch.zeros(3), 'npu')()
