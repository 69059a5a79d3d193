"""Draw the mask of dropout: the same on a pretended GPU, an emulated NPU and a CPU."""

import torch

_aten = torch.ops.aten


def draw_mask(source, p):
    """Draw which elements stay, as `torch.dropout` does for a tensor on the CPU.

    Accelerators have their own operator for dropout. For a tensor that is not contiguous, its CPU
    kernel draws in the order of indices or of memory, depending on the release and the machine, so
    it is not used.
    """
    # PyTorch 2.1 cannot draw float16 on the CPU
    dtype = torch.float32 if source.dtype is torch.float16 else source.dtype
    return _aten.dropout.default(_aten.ones_like.default(source, dtype=dtype), p, True) != 0
