"""Rules for PyTorch: from torch.cuda to torch_npu."""

from ascendify.rules.torch._release_check import checked as check

__all__ = ["check"]
