"""Kernels that create npu tensors."""

import torch

from torch_npu._device.alias import adopt
from torch_npu._device.devices import own_device
from torch_npu._device.keys import NPU

_empty = torch._C._VariableFunctions.empty
_empty_strided = torch._C._VariableFunctions.empty_strided
_zeros = torch._C._VariableFunctions.zeros


def _check_layout(layout):
    if layout is not None and layout is not torch.strided:
        raise NotImplementedError(
            f"The emulated NPU has no tensors of layout {layout}; keep the tensor on the cpu or "
            "convert it with .to_dense()"
        )


def empty(size, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    """`aten::empty.memory_format`."""
    _check_layout(layout)
    cpu = own_device(device)
    if memory_format is None:
        return adopt(_empty(size, dtype=dtype, device=cpu))
    return adopt(_empty(size, dtype=dtype, device=cpu, memory_format=memory_format))


def empty_strided(size, stride, dtype=None, layout=None, device=None, pin_memory=None):
    """`aten::empty_strided`."""
    _check_layout(layout)
    return adopt(_empty_strided(size, stride, dtype=dtype, device=own_device(device)))


def zero_tensor(size, dtype=None, layout=None, device=None, pin_memory=None):
    """`aten::_efficientzerotensor`: real zeros, because lazy ones have no bytes to share."""
    return adopt(_zeros(size, dtype=dtype, device=own_device(device)))


def kernels():
    """Yield (operator, kernel, dispatch key)."""
    yield "aten::empty.memory_format", empty, NPU
    yield "aten::empty_strided", empty_strided, NPU
    yield "aten::_efficientzerotensor", zero_tensor, NPU
