#### a name that the release does not have yet is left alone
import torch
a = torch.cuda.StreamContext(s)
b = torch.cuda.Stream()
#### with torch_npu=2.5.1
#### after
import torch
a = torch.cuda.StreamContext(s)
b = torch.npu.Stream()
#### findings
2 manual
3 auto
#### an argument that its function does not take yet
import torch as th
a = th.cuda.is_bf16_supported(including_emulation=False)
b = th.cuda.is_bf16_supported()
#### with torch_npu=2.9.0
#### after
import torch as th
a = th.cuda.is_bf16_supported(including_emulation=False)
b = th.npu.is_bf16_supported()
#### findings
2 manual
3 auto
#### the release that brought both
import torch
a = torch.cuda.StreamContext(s)
b = torch.cuda.is_bf16_supported(including_emulation=False)
#### with torch_npu=2.9.0.post6
#### after
import torch
a = torch.npu.StreamContext(s)
b = torch.npu.is_bf16_supported(including_emulation=False)
