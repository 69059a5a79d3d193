"""Kernels of views.

They run the cpu's kernel on the npu tensor itself: it reads sizes and storage but no elements, so
that the view shares the storage. The most frequent ones run it on a cpu alias, which also shares
the storage: torch's binding takes half the time of redispatching.
"""

import torch
from torch.nn import Parameter

from torch_npu._device import path
from torch_npu._device.accounting import hold_again
from torch_npu._device.alias import adopt, seen_on_npu, set_device, to_cpu
from torch_npu._device.core import TensorBase
from torch_npu._device.dispatcher import cpu_kernel
from torch_npu._device.keys import NPU

_aten = torch.ops.aten
_Tensor = torch.Tensor

_VIEWS = (
    _aten.view.default,
    _aten._unsafe_view.default,
    _aten._reshape_alias.default,
    _aten.unfold.default,
    _aten.view.dtype,
    _aten.view_as_real.default,
    _aten.view_as_complex.default,
    _aten.set_.source_Storage,
    _aten.set_.source_Storage_storage_offset,
)

_FREQUENT = (
    (_aten.as_strided.default, TensorBase.as_strided),
    (_aten.t.default, TensorBase.t),
    (_aten.transpose.int, TensorBase.transpose),
    (_aten.unsqueeze.default, TensorBase.unsqueeze),
)
"""Each with the binding that computes it. Nearly every other view is composed of `as_strided`."""


def _on_alias(op, binding):
    on_itself = cpu_kernel(op)

    def view(self, *args):
        # the getters of a subclass would call back into its __torch_function__
        if type(self) is not _Tensor and type(self) is not Parameter:
            return set_device(on_itself(self, *args))
        return seen_on_npu(binding(to_cpu(self), *args))

    return view


def _on_itself(op):
    on_itself = cpu_kernel(op)
    if not path.is_fast:
        # a view already has its device, and torch before 2.9 calls as_strided for every capsule
        return on_itself

    def view(*args, **kwargs):
        return set_device(on_itself(*args, **kwargs))

    return view


def another(self):
    """`aten::detach` and `aten::alias`: they differ only in autograd, not in this kernel."""
    return _data(self)


_data = TensorBase.data.__get__


def resize_(self, size, memory_format=None):
    """`aten::resize_`: the host's allocator provides the memory."""
    _resize(self, size, memory_format=memory_format)
    hold_again(self.untyped_storage())
    return self


def resize_by_copy_(self, size, memory_format=None):
    """`aten::resize_` for a storage that cannot grow: copy the elements to a new one."""
    wanted = torch.empty(size, dtype=self.dtype)
    if memory_format is not None and memory_format is not torch.preserve_format:
        wanted = wanted.contiguous(memory_format=memory_format)
    held = self.untyped_storage().nbytes() // self.element_size() - self.storage_offset()
    if wanted.numel() <= held:
        _set_storage(
            self, self.untyped_storage(), self.storage_offset(), wanted.shape, wanted.stride()
        )
        return self
    before = to_cpu(self.as_strided((held,), (1,)))
    wanted.as_strided((held,), (1,)).copy_(before)
    _set_storage(self, adopt(wanted).untyped_storage(), 0, wanted.shape, wanted.stride())
    return self


_resize = cpu_kernel(_aten.resize_.default)


def set_to_nothing(self):
    """`aten::set_` without a source."""
    empty = torch.empty(0, dtype=self.dtype, device=self.device)
    _set_storage(self, empty.untyped_storage(), 0, [0], [1])
    return set_device(self)


def set_tensor(self, source):
    """`aten::set_.source_Tensor`."""
    _set_storage(
        self, source.untyped_storage(), source.storage_offset(), source.shape,
        source.stride(),
    )  # fmt: skip
    return set_device(self)


_set_storage = cpu_kernel(_aten.set_.source_Storage_storage_offset)


def kernels():
    """Yield (operator, kernel, dispatch key)."""
    for op in _VIEWS:
        yield op.name(), _on_itself(op), NPU
    for op, binding in _FREQUENT:
        kernel = _on_alias(op, binding) if path.is_fast else _on_itself(op)
        yield op.name(), kernel, NPU
    if path.is_fast:
        yield "aten::alias", another, NPU
        yield "aten::detach", another, NPU
    yield "aten::resize_", resize_ if path.is_fast else resize_by_copy_, NPU
    yield "aten::set_.source_Tensor", set_tensor, NPU
    yield "aten::set_", set_to_nothing, NPU
