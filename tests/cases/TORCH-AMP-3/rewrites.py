#### the type autocast uses
import torch
dtype = torch.get_autocast_gpu_dtype()
#### after
import torch
dtype = torch.get_autocast_dtype('npu')
#### findings
2 auto
#### set the type
import torch as th
th.set_autocast_gpu_dtype(th.bfloat16)
#### after
import torch as th
th.set_autocast_dtype('npu', th.bfloat16)
#### imported by name
import torch
from torch import get_autocast_gpu_dtype
x = x.to(get_autocast_gpu_dtype())
#### after
import torch
from torch import get_autocast_gpu_dtype
x = x.to(torch.get_autocast_dtype('npu'))
#### whether it is on
import torch
if torch.is_autocast_enabled():
    x = x.half()
#### after
import torch
if torch.is_autocast_enabled('npu'):
    x = x.half()
#### switch it
import torch
torch.set_autocast_enabled(False)
#### after
import torch
torch.set_autocast_enabled('npu', False)
#### the switch knows none of these
import torch
torch.set_autocast_gpu_dtype(torch.float16)
#### with style=transfer
#### after
import torch
torch.set_autocast_dtype('npu', torch.float16)
