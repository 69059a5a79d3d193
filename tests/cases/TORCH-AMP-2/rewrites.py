#### the first argument
import torch
with torch.autocast('cuda', dtype=torch.bfloat16):
    pass
#### after
import torch
with torch.autocast('npu', dtype=torch.bfloat16):
    pass
#### findings
2 auto
#### by name, as a decorator, with other quotes
import torch
@torch.amp.autocast(device_type="cuda", enabled=True)
def forward(x):
    return x
#### after
import torch
@torch.amp.autocast(device_type="npu", enabled=True)
def forward(x):
    return x
#### chosen on the spot
import torch
from torch import autocast
with autocast('cuda' if on_gpu else 'cpu'):
    pass
#### after
import torch
from torch import autocast
with autocast('npu' if on_gpu else 'cpu'):
    pass
#### a scaler with its device
import torch
a = torch.amp.GradScaler('cuda', enabled=True)
b = torch.GradScaler(device="cuda")
c = torch.amp.GradScaler('cuda:0')
#### after
import torch
a = torch.amp.GradScaler('npu', enabled=True)
b = torch.GradScaler(device="npu")
c = torch.amp.GradScaler('npu:0')
#### a scaler without a device means a GPU
from torch.amp import GradScaler
a = GradScaler()
b = GradScaler(enabled=fp16)
#### after
from torch.amp import GradScaler
a = GradScaler(device='npu')
b = GradScaler(enabled=fp16, device='npu')
#### the sharded scaler
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
scaler = ShardedGradScaler()
#### after
from torch.distributed.fsdp.sharded_grad_scaler import ShardedGradScaler
scaler = ShardedGradScaler(device='npu')
#### decorators of functions with a backward of their own
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type='cuda', cast_inputs=torch.float32)
    def forward(ctx, x):
        return x
    @staticmethod
    @torch.amp.custom_bwd(device_type='cuda')
    def backward(ctx, g):
        return g
#### after
import torch
class Twice(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type='npu', cast_inputs=torch.float32)
    def forward(ctx, x):
        return x
    @staticmethod
    @torch.amp.custom_bwd(device_type='npu')
    def backward(ctx, g):
        return g
#### questions about autocast
import torch
if torch.is_autocast_enabled('cuda'):
    dtype = torch.get_autocast_dtype('cuda')
#### after
import torch
if torch.is_autocast_enabled('npu'):
    dtype = torch.get_autocast_dtype('npu')
#### the switch does not know the scaler
import torch
scaler = torch.amp.GradScaler('cuda')
with torch.autocast('cuda'):
    pass
#### with style=transfer
#### after
import torch
scaler = torch.amp.GradScaler('npu')
with torch.autocast('cuda'):
    pass
#### a class derived from the scaler
import torch
class Scaler(torch.amp.GradScaler):
    def __init__(self):
        super().__init__(init_scale=1.0)
#### after
import torch
class Scaler(torch.amp.GradScaler):
    def __init__(self):
        super().__init__(init_scale=1.0, device='npu')
