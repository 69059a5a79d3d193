#### the newest release
import torch
torch.accelerator.synchronize()
norm = torch.nn.RMSNorm(4)
#### a release that has them
import torch
torch.accelerator.synchronize()
#### with torch_npu=2.6.0.post5
#### what 2.2 may have, which no code uses
import torch
scaler = torch.amp.GradScaler("npu")
#### with torch_npu=2.2.0.post2
#### requested by name
import torch
def wait():
    if hasattr(torch, "accelerator"):
        torch.accelerator.synchronize()
modules = getattr(torch, "get_device_module", None)
if modules:
    module = torch.get_device_module("npu")
#### with torch_npu=2.1.0.post17
#### requested by the release
import torch
from packaging import version
if version.parse(torch.__version__) >= version.parse("2.4"):
    from torch.nn import RMSNorm
else:
    from norms import RMSNorm
NEW = torch.__version__ >= "2.6"
if NEW:
    torch.accelerator.synchronize()
scaler = torch.amp.GradScaler("npu") if NEW else None
usable = NEW and torch.amp.is_autocast_available("npu")
def wait():
    if not NEW:
        return
    torch.accelerator.synchronize()
#### with torch_npu=2.1.0.post17
#### expected to be missing
try:
    from torch.amp import GradScaler
except ImportError:
    from torch.cuda.amp import GradScaler
import torch
try:
    torch.accelerator.synchronize()
except AttributeError:
    torch.npu.synchronize()
scaler = GradScaler()
#### with torch_npu=2.1.0.post17
#### for the type checker alone
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from torch.amp import GradScaler
#### with torch_npu=2.1.0.post17
#### an older spelling of what has a new one
from torch.distributed._tensor import DTensor, DeviceMesh
from torch.distributed._composable.fsdp import fully_shard
import torch
mesh = DeviceMesh("npu", [0, 1])
fully_shard(model)
#### with torch_npu=2.4.0.post4
#### names of something else
import torch
class Own:
    accelerator = None
accelerator = Own().accelerator
model.GradScaler()
torch.zeros(1)
#### with torch_npu=2.1.0.post17
#### a module of the project
from torch.amp import GradScaler
scaler = GradScaler()
#### with torch_npu=2.1.0.post17
#### file torch/amp.py
class GradScaler:
    pass
