"""Dropouts, drawn when they are needed."""

import torch
import torch.nn.functional as F
from torch import nn

from ..function.attention import dropout_with_byte_mask


class DropoutWithByteMask(nn.Module):
    """torch.nn.Dropout."""

    def __init__(self, p=0.5, inplace=False, max_seed=2**10 - 1):
        super().__init__()
        if p < 0 or p > 1:
            raise ValueError("dropout probability has to be between 0 and 1, but got %s" % p)
        self.p = p
        self.inplace = inplace

    def forward(self, input1):
        return dropout_with_byte_mask(input1, self.p, self.training, self.inplace)


class NpuCachedDropout(nn.Dropout):
    """torch.nn.Dropout; on an NPU masks are drawn ahead, after enable_dropout_ensemble."""

    def __init__(self, p, module_name=None):
        super().__init__(p)
        self.module_name = module_name

    def forward(self, x):
        if not isinstance(x, torch.Tensor):
            raise NotImplementedError(
                "%s of a shape, which gives the mask alone, is not emulated" % type(self).__name__
            )
        return F.dropout(x, self.p, self.training)

    @classmethod
    def enable_dropout_ensemble(cls, model):
        """Do nothing: the masks are drawn when they are needed."""


class NpuPreGenDropout(NpuCachedDropout):
    """NpuCachedDropout; on an NPU it draws ahead in another order."""


NpuFairseqDropout = NpuCachedDropout


class NpuDropPath(nn.Module):
    """Drops whole samples of a residual branch."""

    def __init__(self, drop_prob=None):
        super().__init__()
        self.drop_prob = drop_prob
        self.keep_prob = 1 - drop_prob

    def forward(self, x):
        if self.drop_prob == 0.0 or not self.training:
            return x
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        kept = (torch.rand(shape, dtype=x.dtype, device=x.device) + self.keep_prob).floor_()
        return x.div(self.keep_prob) * kept

    @classmethod
    def enable_droppath_ensemble(cls, model):
        """Do nothing: the random numbers are drawn when they are needed."""
