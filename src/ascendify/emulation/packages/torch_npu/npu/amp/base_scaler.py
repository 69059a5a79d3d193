"""torch's scaler of losses for a device that is not CUDA: `torch.amp.GradScaler`, from 2.3 on.

Older torch has one for CUDA alone (`older_scaler` makes it serve the npu).
"""

import torch

if hasattr(torch.amp, "GradScaler"):
    from torch.amp.grad_scaler import GradScaler as Scaler
    from torch.amp.grad_scaler import OptState
else:
    from torch_npu.npu.amp.older_scaler import OptState, Scaler

__all__ = ["OptState", "Scaler"]
