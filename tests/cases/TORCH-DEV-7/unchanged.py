#### types of the CPU, of the NPU and of others
import torch

a = torch.FloatTensor(3)
b = torch.npu.FloatTensor(3)
c = 'torch.FloatTensor'
d = other.cuda.FloatTensor(3)
#### sparse types
import torch

x = torch.cuda.sparse.FloatTensor(i, v)
#### findings
3 manual
#### put together elsewhere
import torch

kind = 'torch.cuda.' + name
#### findings
3 possible
#### messages and remarks
import torch

"torch.cuda.FloatTensor"
print('torch.cuda.FloatTensor')
log.warning('torch.cuda.FloatTensor')
#### longer texts
import torch

text = 'torch.cuda.FloatTensor is meant'
name = 'torch.cuda.amp'
#### the switch translates it
import torch

a = torch.cuda.FloatTensor(3)
b = a.type('torch.cuda.HalfTensor')
#### with style=transfer
#### an import is another rule's
import torch
from torch.cuda import FloatTensor

a = FloatTensor(3)
#### docstrings
"""torch.cuda.FloatTensor"""
import torch
#### default types of the CPU, and what cannot be distinguished
import torch
from torch import set_default_tensor_type

torch.set_default_tensor_type('torch.FloatTensor')
torch.set_default_tensor_type(kind)
torch.set_default_tensor_type(torch.cuda.HalfTensor if use else torch.FloatTensor)
set_default_tensor_type(torch.cuda.FloatTensor)
#### findings
6 manual
7 manual
