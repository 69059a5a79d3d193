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
#### anything else is renamed and reported
import torch
major, minor = torch.cuda.get_device_capability(device)
if torch.cuda.get_device_capability()[0] >= 9:
    model.half()
#### after
import torch
major, minor = torch.npu.get_device_capability(device)
if torch.npu.get_device_capability()[0] >= 9:
    model.half()
#### findings
2 manual
3 manual
#### the eight that is not about bfloat16
import torch
if torch.cuda.get_device_capability()[0] >= 8:
    use_flash = True
#### after
import torch
if torch.npu.get_device_capability()[0] >= 8:
    use_flash = True
#### findings
2 manual
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
#### half precision
import torch
if torch.cuda.get_device_capability()[0] >= 7:
    model.half()
#### after
import torch
if torch.npu.is_available():
    model.half()
#### findings
2 auto
#### a variable that holds the pair
import torch
def precision():
    capability = torch.cuda.get_device_capability()
    # Ampere
    if capability[0] >= 8:
        return torch.bfloat16
    return torch.float16
#### after
import torch
def precision():
    # Ampere
    if torch.npu.is_bf16_supported():
        return torch.bfloat16
    return torch.float16
#### findings
3 auto
#### two numbers, of which one is read, and the other way round
import torch
def precision(local_rank):
    major, minor = torch.cuda.get_device_capability(local_rank)
    use_bf16 = 8 <= major
    dtype = "float32" if major < 8 else "bfloat16"
    return use_bf16, dtype
#### after
import torch
def precision(local_rank):
    use_bf16 = torch.npu.is_bf16_supported()
    dtype = "float32" if not torch.npu.is_bf16_supported() else "bfloat16"
    return use_bf16, dtype
#### findings
3 auto
#### of a script that nothing imports
import torch
major, _ = torch.cuda.get_device_capability()
use_bf16 = major >= 8
#### after
import torch
use_bf16 = torch.npu.is_bf16_supported()
#### findings
2 auto
#### of a module that others import
import torch
major, _ = torch.cuda.get_device_capability()
use_bf16 = major >= 8
#### file other.py
from main import major
#### after
import torch
major, _ = torch.npu.get_device_capability()
use_bf16 = major >= 8
#### findings
2 manual
#### one of several uses asks for something else
import torch
def choose():
    major, minor = torch.cuda.get_device_capability()
    bf16 = major >= 8
    name = f"sm_{major}{minor}"
    return bf16, name
#### after
import torch
def choose():
    major, minor = torch.npu.get_device_capability()
    bf16 = major >= 8
    name = f"sm_{major}{minor}"
    return bf16, name
#### findings
3 manual
#### shown only
import torch
print(torch.cuda.get_device_capability())
#### after
import torch
print(torch.npu.get_device_capability())
#### findings
2 auto-check
#### not less, in a larger expression
import torch
fp16 = (torch.cuda.get_device_capability()[0] < 7) == force_fp32
#### after
import torch
fp16 = ((not torch.npu.is_available())) == force_fp32
