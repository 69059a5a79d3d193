#### fused without a kernel
import torch
a = torch.optim.Adam(params, lr=0.1, fused=True)
b = torch.optim.SGD(
    params,
    fused=True,
)
c = torch.optim.AdamW(params, fused=True)
d = torch.optim.Adam(params, fused=fused)
#### with torch_npu=2.9.0 entry=other.py
#### after
import torch
a = torch.optim.Adam(params, lr=0.1)
b = torch.optim.SGD(
    params,
)
c = torch.optim.AdamW(params, fused=True)
d = torch.optim.Adam(params, fused=fused)
#### findings
2 auto
3 auto
#### fused without a kernel, beside a scaler
import torch
scaler = torch.npu.amp.GradScaler()
a = torch.optim.Adam(params, fused=True)
#### with torch_npu=2.9.0 entry=other.py
#### after
import torch
scaler = torch.npu.amp.GradScaler()
a = torch.optim.Adam(params)
#### findings
3 auto
#### fused with a kernel
import torch
a = torch.optim.Adam(params, lr=0.1, fused=True)
#### with torch_npu=2.9.0.post9 entry=other.py
