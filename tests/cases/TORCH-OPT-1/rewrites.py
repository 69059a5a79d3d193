#### gradients of a fused optimizer stay
import torch_npu
optimizer = torch_npu.optim.NpuFusedSGD(params, lr=0.1)
optimizer.zero_grad(set_to_none=True)
#### after
import torch_npu
optimizer = torch_npu.optim.NpuFusedSGD(params, lr=0.1)
optimizer.zero_grad()
#### findings
3 auto
