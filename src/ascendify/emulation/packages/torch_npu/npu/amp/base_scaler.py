"""torch's loss scaler for any device: `torch.amp.GradScaler`, from 2.3 on.

Older torch has one only for CUDA, which `older_scaler` adapts to the npu.
"""

import torch

if hasattr(torch.amp, "GradScaler"):
    from torch.amp.grad_scaler import GradScaler as Scaler
    from torch.amp.grad_scaler import OptState
else:
    from torch_npu.npu.amp.older_scaler import OptState, Scaler

__all__ = ["OptState", "Scaler"]
