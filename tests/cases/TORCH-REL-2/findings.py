#### a module that came later, reported once
import torch
device = torch.accelerator.current_accelerator()
torch.accelerator.synchronize()
#### with torch_npu=2.4.0.post4
#### findings
2 manual
#### names of several releases
import torch
import torch.nn as nn
scaler = torch.amp.GradScaler("npu")
module = torch.get_device_module("npu")
usable = torch.amp.is_autocast_available("npu")
norm = nn.RMSNorm(4).npu()
#### with torch_npu=2.1.0.post17
#### findings
3 manual
4 manual
5 manual
6 manual
#### names that are imported, and what is below them
from torch.amp import GradScaler
from torch.nn.attention import flex_attention, SDPBackend
import torch.distributed.device_mesh as mesh
scaler = GradScaler("npu")
mesh.init_device_mesh("npu", (2,))
#### with torch_npu=2.1.0.post17
#### findings
1 manual
2 manual
2 manual
3 manual
#### several imports of torch
import torch
import torch.nn
torch.accelerator.synchronize()
#### with torch_npu=2.4.0.post4
#### findings
3 manual
#### a condition that asks for a device
import torch
if torch.npu.is_available():
    torch.accelerator.synchronize()
#### with torch_npu=2.4.0.post4
#### findings
3 manual
#### a try that expects something else
import torch
try:
    torch.accelerator.synchronize()
except RuntimeError:
    pass
#### with torch_npu=2.4.0.post4
#### findings
3 manual
