#### a context, written out
import torch

with torch.cuda.amp.autocast(enabled=args.amp):
    loss = model(x)
#### after
import torch

with torch.npu.amp.autocast(enabled=args.amp):
    loss = model(x)
#### findings
3 auto
#### a decorator without parentheses and one with
import torch as th
class Net(th.nn.Module):
    @th.cuda.amp.autocast()
    def forward(self, x):
        return x
class Twice(th.autograd.Function):
    @staticmethod
    @th.cuda.amp.custom_fwd
    def forward(ctx, x):
        return x * 2
    @staticmethod
    @th.cuda.amp.custom_bwd
    def backward(ctx, g):
        return g * 2
#### after
import torch as th
class Net(th.nn.Module):
    @th.npu.amp.autocast()
    def forward(self, x):
        return x
class Twice(th.autograd.Function):
    @staticmethod
    @th.amp.custom_fwd(device_type='npu')
    def forward(ctx, x):
        return x * 2
    @staticmethod
    @th.amp.custom_bwd(device_type='npu')
    def backward(ctx, g):
        return g * 2
#### names from the module
import torch
from torch.cuda.amp import autocast, GradScaler  # mixed precision
scaler = GradScaler(enabled=True)
with autocast():
    pass
#### after
import torch
from torch_npu.npu.amp import autocast, GradScaler  # mixed precision
scaler = GradScaler(enabled=True)
with autocast():
    pass
#### findings
2 auto
#### the module under a name
from torch.cuda import amp
scaler = amp.GradScaler()
with amp.autocast(enabled=True):
    pass
#### after
from torch_npu.npu import amp
scaler = amp.GradScaler()
with amp.autocast(enabled=True):
    pass
#### the module with as
import torch
import torch.cuda.amp as tamp
scaler = tamp.GradScaler()
#### after
import torch
import torch_npu.npu.amp as tamp
scaler = tamp.GradScaler()
#### the module without as, beside torch
import torch
import torch.cuda.amp
scaler = torch.cuda.amp.GradScaler()
#### after
import torch
scaler = torch.npu.amp.GradScaler()
#### the module without as is all that binds torch
import torch.cuda.amp
scaler = torch.cuda.amp.GradScaler()
#### after
import torch
scaler = torch.npu.amp.GradScaler()
#### submodules people reach into, several lines
from torch.cuda.amp.grad_scaler import (
    GradScaler,  # scales the loss
)
from torch.cuda.amp.autocast_mode import autocast
scaler = GradScaler()
#### after
from torch_npu.npu.amp import (
    GradScaler,  # scales the loss
)
from torch_npu.npu.amp import autocast
scaler = GradScaler()
#### the fifth argument of the scaler changes its meaning
import torch
scaler = torch.cuda.amp.GradScaler(2. ** 16, 2., .5, 2000, True)
#### after
import torch
scaler = torch.npu.amp.GradScaler(2. ** 16, 2., .5, 2000, enabled=True)
#### findings
2 auto
2 auto
#### the fifth argument in parentheses, name imported
from torch.cuda.amp import GradScaler
scaler = GradScaler(65536., 2., .5, 2000, (args.amp
    and not args.cpu))
#### after
from torch_npu.npu.amp import GradScaler
scaler = GradScaler(65536., 2., .5, 2000, enabled=(args.amp
    and not args.cpu))
#### a class derived from the scaler
import torch
class Scaler(torch.cuda.amp.GradScaler):
    def __init__(self, on):
        super().__init__(1., 2., .5, 100, on)
#### after
import torch
class Scaler(torch.npu.amp.GradScaler):
    def __init__(self, on):
        super().__init__(1., 2., .5, 100, enabled=on)
#### a choice between a context and nothing
import torch
from contextlib import nullcontext, suppress
amp_autocast = torch.cuda.amp.autocast if args.amp else suppress
ctx = nullcontext() if cpu else torch.cuda.amp.autocast(dtype=torch.bfloat16)
#### after
import torch
from contextlib import nullcontext, suppress
amp_autocast = torch.npu.amp.autocast if args.amp else suppress
ctx = nullcontext() if cpu else torch.npu.amp.autocast(dtype=torch.bfloat16)
#### a name for the module
import torch
amp = torch.cuda.amp
scaler = amp.GradScaler()
#### after
import torch
amp = torch.npu.amp
scaler = amp.GradScaler()
#### imported only where it can be
import torch
try:
    from torch.cuda.amp import autocast
    has_amp = True
except ImportError:
    has_amp = False
#### after
import torch
try:
    from torch_npu.npu.amp import autocast
    has_amp = True
except ImportError:
    has_amp = False
#### the switch leaves the fifth argument to us
import torch
scaler = torch.cuda.amp.GradScaler(1., 2., .5, 100, on)
with torch.cuda.amp.autocast():
    pass
#### with style=transfer
#### after
import torch
scaler = torch.cuda.amp.GradScaler(1., 2., .5, 100, enabled=on)
with torch.cuda.amp.autocast():
    pass
#### findings
2 auto
#### carries a remark between the words
import torch
with torch.cuda.amp.autocast(
    enabled=fp16,  # off for debugging
):
    pass
#### after
import torch
with torch.npu.amp.autocast(
    enabled=fp16,  # off for debugging
):
    pass
#### several modules in one statement, words apart, statements on one line
import os, torch.cuda.amp as amp, sys
from torch . cuda . amp import autocast as cast; x = 1
from torch.cuda import amp as other
with amp.autocast(), cast(), other.autocast():
    pass
#### after
import os, torch_npu.npu.amp as amp, sys
from torch_npu.npu.amp import autocast as cast; x = 1
from torch_npu.npu import amp as other
with amp.autocast(), cast(), other.autocast():
    pass
#### decorators imported one by one, with and without arguments
import torch
from torch.cuda.amp import autocast, custom_fwd, custom_bwd as back
class Twice(torch.autograd.Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32)
    def forward(ctx, x):
        return x * 2
    @staticmethod
    @back
    def backward(ctx, g):
        return g * 2
wrap = custom_fwd
with autocast():
    pass
#### after
import torch
from torch_npu.npu.amp import autocast
from torch.amp import custom_fwd, custom_bwd as back
class Twice(torch.autograd.Function):
    @staticmethod
    @custom_fwd(cast_inputs=torch.float32, device_type='npu')
    def forward(ctx, x):
        return x * 2
    @staticmethod
    @back(device_type='npu')
    def backward(ctx, g):
        return g * 2
wrap = custom_fwd(device_type='npu')
with autocast():
    pass
#### decorators alone
from torch.cuda.amp import custom_fwd, custom_bwd
@custom_fwd
def forward(ctx, x):
    return x
#### after
from torch.amp import custom_fwd, custom_bwd
@custom_fwd(device_type='npu')
def forward(ctx, x):
    return x
#### decorators through the module
import torch
from torch.cuda import amp
@amp.custom_fwd
def forward(ctx, x):
    return x
scaler = amp.GradScaler()
#### after
import torch
from torch_npu.npu import amp
@torch.amp.custom_fwd(device_type='npu')
def forward(ctx, x):
    return x
scaler = amp.GradScaler()
#### decorators of a release that torch.amp has none of yet
import torch
from torch.cuda.amp import custom_bwd
@torch.cuda.amp.custom_fwd
def forward(ctx, x):
    return x
@custom_bwd
def backward(ctx, g):
    return g
#### with torch=2.1.0
#### after
import torch
from torch_npu.npu.amp import custom_bwd
@torch.npu.amp.custom_fwd
def forward(ctx, x):
    return x
@custom_bwd
def backward(ctx, g):
    return g
#### a decorator that may be another one keeps its form
try:
    from torch.cuda.amp import custom_fwd
except ImportError:
    def custom_fwd(function):
        return function
@custom_fwd
def forward(ctx, x):
    return x
#### after
try:
    from torch_npu.npu.amp import custom_fwd
except ImportError:
    def custom_fwd(function):
        return function
@custom_fwd
def forward(ctx, x):
    return x
#### a decorator that another file takes from here keeps its form
from torch.cuda.amp import custom_fwd
@custom_fwd
def forward(ctx, x):
    return x
#### file layers.py
from main import custom_fwd
@custom_fwd
def forward(ctx, x):
    return x
#### after
from torch_npu.npu.amp import custom_fwd
@custom_fwd
def forward(ctx, x):
    return x
