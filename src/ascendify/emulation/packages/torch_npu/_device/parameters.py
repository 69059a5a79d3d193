"""`torch.nn.Parameter` and other subclasses of Tensor over npu memory."""

import torch

from torch_npu._device.alias import is_npu, make_npu, to_cpu

_make_subclass = torch.Tensor._make_subclass


def make_subclass(cls, data, requires_grad=False, **kwargs):
    """`Tensor._make_subclass`.

    It detaches the data and gives the result its Python class. A kernel written in Python has
    given it one already, so the subclass is made on the cpu and moved as a whole.
    """
    if not is_npu(data):
        return _make_subclass(cls, data, requires_grad, **kwargs)
    return make_npu(_make_subclass(cls, to_cpu(data), requires_grad, **kwargs))


def record_stream(self, stream):
    """`Tensor.record_stream`: nothing is in flight, so no memory has to wait to be used again."""
    if not is_npu(self):
        raise NotImplementedError(f"record_stream is not available for a tensor on {self.device}")


def install():
    """Put these in the place of torch's own."""
    torch.Tensor._make_subclass = staticmethod(make_subclass)
    torch.Tensor.record_stream = record_stream
