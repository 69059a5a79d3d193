"""Which elements dropout drops: the same on a pretended GPU, an emulated NPU and a CPU."""

import torch

_aten = torch.ops.aten


def kept(source, p):
    """Draw which elements stay, as `torch.dropout` draws them for a tensor of the CPU.

    Accelerators have an operator of their own for dropout. Its kernel for the CPU draws for a
    tensor that is not contiguous in the order of indices or of memory, whichever the release and
    the machine make it.
    """
    # the CPU of PyTorch 2.1 draws no float16
    dtype = torch.float32 if source.dtype is torch.float16 else source.dtype
    return _aten.dropout.default(_aten.ones_like.default(source, dtype=dtype), p, True) != 0
