#### imported by itself
from torch.cuda import get_device_capability
print(get_device_capability())
#### findings
2 manual
#### under the switch
import torch
print(torch.cuda.get_device_capability())
#### with style=transfer
#### findings
2 manual
#### already requested
import torch
bf16 = torch.npu.is_bf16_supported()
#### already renamed
import torch
print(torch.npu.get_device_capability())
#### of another package
import pynvml
pynvml.get_device_capability()[0] >= 8
#### already renamed, and taken apart
import torch
major, minor = torch.npu.get_device_capability()
show(major)
#### findings
2 manual
