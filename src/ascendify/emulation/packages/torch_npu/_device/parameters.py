"""`torch.nn.Parameter` and other subclasses of Tensor over npu memory."""

import torch

from torch_npu._device import path
from torch_npu._device.alias import is_npu
from torch_npu._device.core import TensorBase

_make_subclass = torch.Tensor._make_subclass


if path.is_fast:
    from torch_npu._device.alias_fast import (
        exchange_keys,
        has_npu_keys,
        set_device,
        without_npu_keys,
    )


def make_subclass(cls, data, requires_grad=False, **kwargs):
    """`Tensor._make_subclass`.

    It detaches the data and sets the Python class of the result. A Python kernel has already set
    one, so the data has no npu keys while the subclass is made.
    """
    if not has_npu_keys(data):
        return _make_subclass(cls, data, requires_grad, **kwargs)
    # a tensor without bytes, as used by torch.compile, has the npu's keys and no device
    on_npu = is_npu(data)
    made = _make_subclass(cls, without_npu_keys(data), requires_grad, **kwargs)
    if not has_npu_keys(made):
        exchange_keys(made)
    return set_device(made) if on_npu else made


class _AsSubclass(torch.autograd.Function):
    """Changes the Python class of a tensor that is part of an autograd graph."""

    @staticmethod
    def forward(ctx, tensor, cls):
        return make_subclass(cls, tensor)

    @staticmethod
    def backward(ctx, gradient):
        return gradient, None


_as_subclass = TensorBase.as_subclass


def as_subclass(self, cls):
    """`Tensor.as_subclass`, replaced for the same reason as `_make_subclass`."""
    if not is_npu(self):
        return _as_subclass(self, cls)
    return _AsSubclass.apply(self, cls) if self.requires_grad else make_subclass(cls, self)


def record_stream(self, stream):
    """`Tensor.record_stream`: does nothing, because no work is pending."""
    if not is_npu(self):
        raise NotImplementedError(f"record_stream is not available for a tensor on {self.device}")


def install():
    """Replace torch's own functions by these."""
    if path.is_fast:
        torch.Tensor._make_subclass = staticmethod(make_subclass)
        torch.Tensor.as_subclass = as_subclass
    torch.Tensor.record_stream = record_stream
