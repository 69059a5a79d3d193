#### before the functions of torch took a device
import torch
a = torch.get_autocast_gpu_dtype()
torch.set_autocast_gpu_dtype(torch.float16)
b = torch.is_autocast_enabled()
torch.set_autocast_enabled(True)
#### with torch_npu=2.3.1.post6
#### after
import torch
a = torch.npu.get_autocast_dtype()
torch.npu.set_autocast_dtype(torch.float16)
b = torch.npu.is_autocast_enabled()
torch.npu.set_autocast_enabled(True)
#### findings
2 auto
3 auto
4 auto
5 auto
#### since then
import torch
b = torch.is_autocast_enabled()
#### with torch_npu=2.4.0
#### after
import torch
b = torch.is_autocast_enabled('npu')
