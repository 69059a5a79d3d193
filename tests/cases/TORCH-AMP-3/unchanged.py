#### the device is given
import torch
torch.is_autocast_enabled('cuda')
torch.set_autocast_enabled('npu', True)
torch.get_autocast_dtype('npu')
torch.set_autocast_dtype('npu', torch.float16)
#### the CPU's
import torch
torch.get_autocast_cpu_dtype()
torch.is_autocast_cpu_enabled()
#### somebody else's
import other as torch
torch.get_autocast_gpu_dtype()
#### a method of that name
class A:
    def is_autocast_enabled(self):
        return True
A().is_autocast_enabled()
#### in a text
import torch
print('torch.is_autocast_enabled()')
#### arguments that cannot be counted
import torch
torch.set_autocast_enabled(*values)
torch.is_autocast_enabled(**values)
#### passed on
import torch
call(torch.get_autocast_gpu_dtype)
#### findings
2 manual
#### passed on, but it takes a device
import torch
call(torch.is_autocast_enabled)
#### the NPU's own
import torch
torch.npu.is_autocast_enabled()
torch.npu.get_autocast_dtype()
