#### called, passed on, compared
import torch

a = torch.cuda.FloatTensor(3).fill_(0)
b = a.type(torch.cuda.LongTensor)
if isinstance(a, (torch.cuda.HalfTensor, torch.HalfTensor)):
    pass
Tensor = torch.cuda.ByteTensor if use else torch.ByteTensor
#### after
import torch

a = torch.npu.FloatTensor(3).fill_(0)
b = a.type(torch.npu.LongTensor)
if isinstance(a, (torch.npu.HalfTensor, torch.HalfTensor)):
    pass
Tensor = torch.npu.ByteTensor if use else torch.ByteTensor
#### findings
3 auto
4 auto
5 auto
7 auto
#### as a text
import torch

x = x.type("torch.cuda.LongTensor")
if x.type() == 'torch.cuda.HalfTensor':
    pass
kind = 'torch.cuda.FloatTensor'
#### after
import torch

x = x.type("torch.npu.LongTensor")
if x.type() == 'torch.npu.HalfTensor':
    pass
kind = 'torch.npu.FloatTensor'
#### the beginning of a type in a comparison
import torch

if x.type().startswith('torch.cuda') or 'torch.cuda' in x.type():
    pass
#### after
import torch

if x.type().startswith('torch.npu') or 'torch.npu' in x.type():
    pass
#### findings
3 auto-check
3 auto-check
#### an alias of the package
import torch as th

x = th.cuda.IntTensor([1])
#### after
import torch as th

x = th.npu.IntTensor([1])
#### the switch does not look into comparisons
import torch

x = x.type(torch.cuda.FloatTensor)
if x.type() == 'torch.cuda.FloatTensor':
    pass
#### with style=transfer
#### after
import torch

x = x.type(torch.cuda.FloatTensor)
if x.type() == 'torch.npu.FloatTensor':
    pass
#### the default type becomes a default device
import torch

torch.set_default_tensor_type('torch.cuda.FloatTensor')
torch.set_default_tensor_type(torch.cuda.FloatTensor)
torch.set_default_tensor_type(torch.cuda.HalfTensor)  # half
torch.set_default_tensor_type(torch.cuda.FloatTensor if use else torch.FloatTensor)
#### after
import torch

torch.set_default_device('npu')
torch.set_default_device('npu')
torch.set_default_device('npu')  # half
torch.set_default_dtype(torch.float16)
torch.set_default_device('npu' if use else 'cpu')
#### findings
3 auto-check
4 auto-check
5 auto-check
6 auto-check
#### on one line, and under the switch
import torch as th

if use: th.set_default_tensor_type("torch.cuda.DoubleTensor")
#### with style=transfer
#### after
import torch as th

if use: th.set_default_device('npu'); th.set_default_dtype(th.float64)
#### a release that has no default device
import torch

torch.set_default_tensor_type('torch.cuda.FloatTensor')
torch.set_default_tensor_type(torch.cuda.HalfTensor if use else torch.FloatTensor)
#### with torch=1.11.0
#### after
import torch

torch.set_default_tensor_type('torch.npu.FloatTensor')
torch.set_default_tensor_type(torch.npu.HalfTensor if use else torch.FloatTensor)
#### findings
3 auto-check
4 auto-check
