"""Kernels for operators that need more than a kernel generated from their schema."""

import torch
from ascendify_startup import torch_dropout, torch_scale_kernels

from torch_npu._device import generator, guard
from torch_npu._device.alias import adopt, host, is_npu, to_cpu
from torch_npu._device.core import TensorBase
from torch_npu._device.devices import own_device, state
from torch_npu._device.dispatcher import has_kernel
from torch_npu._device.kernels import kernel_of
from torch_npu._device.keys import NPU

_aten = torch.ops.aten
_copy = TensorBase.copy_


def _bytes_of(tensor):
    """Return the cpu alias of a tensor with its lazy conjugation or negation, for `copy_`."""
    if tensor.is_cpu:
        return tensor
    if not is_npu(tensor):
        return host(tensor, "argument src in method aten::copy_")
    return to_cpu(tensor)


def copy_(self, src, non_blocking=False):
    """`aten::copy_`, between the devices and within one.

    For a lazy conjugate, torch's own implementation would call `_copy_from`, the conjugate fallback
    and `copy_` again in an endless loop.
    """
    if not state.initialised:
        own_device(None)
    _copy(_bytes_of(self), _bytes_of(src))
    return self


def copy_from(self, dst, non_blocking=False):
    """`aten::_copy_from`: the same with the arguments in the other order."""
    return copy_(dst, self)


def copy_from_and_resize(self, dst):
    """`aten::_copy_from_and_resize`."""
    if dst.shape != self.shape:
        dst.resize_(self.shape)
    return copy_(dst, self)


_convolution = kernel_of(_aten.convolution.default)
_convolution_backward = kernel_of(_aten.convolution_backward.default)


def convolution(*args):
    """`aten::convolution_overrideable`, which torch calls for any other accelerator."""
    return _convolution(*args)


def convolution_backward(
    grad_output, input, weight, stride, padding, dilation, transposed, output_padding, groups, mask
):
    """`aten::convolution_backward_overrideable`, which does not get the size of the bias."""
    channels = weight.shape[1] * groups if transposed else weight.shape[0]
    return _convolution_backward(
        grad_output, input, weight, [channels] if mask[2] else None, stride, padding, dilation,
        transposed, output_padding, groups, mask,
    )  # fmt: skip


def native_dropout(input, p, train):
    """`aten::native_dropout`, which has no argument for a generator."""
    source = host(input, "argument input in method aten::native_dropout")
    with generator.drawing():
        if train is False or not 0 < p < 1 or source.is_contiguous():
            result, mask = _aten.native_dropout.default._op(source, p, train)
        else:
            mask = torch_dropout.draw_mask(source, p)
            result = source * mask * (1 / (1 - p))
    return adopt(result), adopt(mask)


def _taking_short_labels(operator, place):
    """Return the kernel of a loss that takes class numbers in 32 bits too, as an NPU does."""
    kernel = kernel_of(operator)

    def loss(*args):
        labels = args[place]
        if labels.dtype != torch.int32:
            return kernel(*args)
        return kernel(*args[:place], labels.long(), *args[place + 1 :])

    return loss


_LOSSES = (
    ("aten::nll_loss_forward", _taking_short_labels(_aten.nll_loss_forward.default, 1)),
    ("aten::nll_loss2d_forward", _taking_short_labels(_aten.nll_loss2d_forward.default, 1)),
    ("aten::nll_loss_backward", _taking_short_labels(_aten.nll_loss_backward.default, 2)),
    ("aten::nll_loss2d_backward", _taking_short_labels(_aten.nll_loss2d_backward.default, 2)),
)


def compatible_shallow_copy(self, other):
    """`aten::_has_compatible_shallow_copy_type`: a module keeps its parameters when it moves.

    Optimizers made before the move stay valid, as with torch_npu.
    """
    return all(one.is_cpu or is_npu(one) for one in (self, other))


def record_stream(self, stream):
    """`aten::record_stream`: does nothing, because no work runs on another stream."""


def is_pinned(self, device=None):
    """`aten::is_pinned`: device memory is not pinned host memory.

    Before torch 2.5, C++ code calls this for host memory that it has requested as pinned; before
    2.4 it queries CUDA.
    """
    return self.is_cpu


def unscale(tensors, found_inf, inverse_scale):
    """`aten::_amp_foreach_non_finite_check_and_unscale_`, which the cpu has from torch 2.3 on."""
    torch_scale_kernels.unscale(map(to_cpu, tensors), to_cpu(found_inf), to_cpu(inverse_scale))


def update_scale(self, growth_tracker, found_inf, growth, backoff, growth_interval):
    """`aten::_amp_update_scale_`, which the cpu has from torch 2.3 on."""
    on_cpu = map(to_cpu, (self, growth_tracker, found_inf))
    torch_scale_kernels.update(*on_cpu, growth, backoff, growth_interval)
    return self


def kernels():
    """Yield (operator, kernel, dispatch key)."""
    if not has_kernel("aten::_amp_update_scale_", "CPU"):
        yield "aten::_amp_foreach_non_finite_check_and_unscale_", unscale, NPU
        yield "aten::_amp_update_scale_", update_scale, NPU
    yield "aten::copy_", copy_, NPU
    yield "aten::_copy_from", copy_from, NPU
    yield "aten::_copy_from_and_resize", copy_from_and_resize, NPU
    yield "aten::convolution_overrideable", convolution, NPU
    yield "aten::convolution_backward_overrideable", convolution_backward, NPU
    yield "aten::native_dropout", native_dropout, NPU
    for name, kernel in _LOSSES:
        yield name, kernel, NPU
    yield "aten::_has_compatible_shallow_copy_type", compatible_shallow_copy, NPU
    yield "aten::record_stream", record_stream, NPU
    yield "aten::is_pinned", is_pinned, NPU
    if not guard.takes_hooks_from_python():
        yield "aten::is_pinned", is_pinned, "CUDA"
