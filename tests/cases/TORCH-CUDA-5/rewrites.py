#### bfloat16 by the first number
import torch
bf16 = torch.cuda.get_device_capability()[0] >= 8
#### after
import torch
bf16 = torch.npu.is_bf16_supported()
#### findings
2 auto
#### by the pair, in a condition
import torch as th
dtype = th.bfloat16 if th.cuda.get_device_capability(0) >= (8, 0) else th.float16
#### after
import torch as th
dtype = th.bfloat16 if th.npu.is_bf16_supported() else th.float16
#### what a test guards tells what it is for
import torch
if torch.cuda.is_available() and torch.cuda.get_device_capability()[0] > 7:
    dtype = torch.bfloat16
#### after
import torch
if torch.cuda.is_available() and torch.npu.is_bf16_supported():
    dtype = torch.bfloat16
#### so does the name of a function
import torch
def supports_bf16():
    return torch.cuda.get_device_capability()[0] >= 8
#### after
import torch
def supports_bf16():
    return torch.npu.is_bf16_supported()
#### anything else is renamed and told
import torch
major, minor = torch.cuda.get_device_capability(device)
if torch.cuda.get_device_capability()[0] >= 7:
    model.half()
#### after
import torch
major, minor = torch.npu.get_device_capability(device)
if torch.npu.get_device_capability()[0] >= 7:
    model.half()
#### findings
2 auto-check
3 auto-check
#### the eight that is not about bfloat16
import torch
if torch.cuda.get_device_capability()[0] >= 8:
    use_flash = True
#### after
import torch
if torch.npu.get_device_capability()[0] >= 8:
    use_flash = True
#### findings
2 auto-check
#### passed on
import torch
tell(torch.cuda.get_device_capability)
#### after
import torch
tell(torch.npu.get_device_capability)
#### the test with the switch
import torch
bf16 = torch.cuda.get_device_capability()[0] >= 8
#### with style=transfer
#### after
import torch
bf16 = torch.npu.is_bf16_supported()
#### imported by itself
import torch
from torch.cuda import get_device_capability
bf16 = get_device_capability()[0] >= 8
#### after
import torch
from torch.cuda import get_device_capability
bf16 = torch.npu.is_bf16_supported()
#### renamed by somebody without a look at what it gives
import torch
bf16 = torch.npu.get_device_capability()[0] >= 8
#### after
import torch
bf16 = torch.npu.is_bf16_supported()
