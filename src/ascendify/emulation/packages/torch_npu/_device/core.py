"""Classes of torch's C++ core that have another name in older releases."""

import torch

TensorBase = torch._C.TensorBase if hasattr(torch._C, "TensorBase") else torch._C._TensorBase
"""Base class of `torch.Tensor`; `_TensorBase` before torch 2.2."""
