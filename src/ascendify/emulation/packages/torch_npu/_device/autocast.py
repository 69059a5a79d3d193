"""`torch.autocast("npu")`: kernels that convert the arguments of operators."""

import torch
from ascendify_startup import torch_autocast_lists as lists

from torch_npu._device import autocast_state, dispatcher, register
from torch_npu._device.alias import is_npu
from torch_npu._device.keys import AUTOCAST

_AS_INPUT = """
lstm.input lstm.data gru.input gru.data rnn_tanh.input rnn_tanh.data rnn_relu.input rnn_relu.data
""".split()
"""Recurrent layers, in no list of torch_npu: its kernels use the weights in the input's type."""
_BANNED = """
torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to autocast.
Many models use a sigmoid layer right before the binary cross entropy layer.
In this case, combine the two layers using torch.nn.functional.binary_cross_entropy_with_logits
or torch.nn.BCEWithLogitsLoss.  binary_cross_entropy_with_logits and BCEWithLogits are
safe to autocast."""

_KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastPrivateUse1)
_Excluded = torch._C._ExcludeDispatchKeyGuard
_Tensor = torch.Tensor
_lowered = {}
"""Parameters in the lower type, stored until the end of the outermost autocast block."""


def _casts(tensor):
    return is_npu(tensor) and tensor.is_floating_point() and tensor.dtype != torch.float64


def _cast(value, dtype):
    if isinstance(value, _Tensor):
        if value.dtype is dtype or not _casts(value):
            return value
        return _cast_tensor(value, dtype)
    if isinstance(value, (list, tuple)):
        return type(value)(_cast(one, dtype) for one in value)
    return value


def _cast_tensor(tensor, dtype):
    is_weight = tensor.requires_grad and tensor.is_leaf and not tensor._is_view()
    if dtype is torch.float32 or not is_weight or not torch.is_autocast_cache_enabled():
        return tensor.to(dtype)
    key = id(tensor), dtype, torch.is_grad_enabled()
    known = _lowered.get(key)
    if known is None or known[0] is not tensor:
        known = _lowered[key] = tensor, tensor.to(dtype)
    return known[1]


def _called(op, args, kwargs, dtype):
    with _Excluded(_KEYS):
        return op(
            *[_cast(value, dtype) for value in args],
            **{name: _cast(value, dtype) for name, value in kwargs.items()},
        )


def _in_lower(op):
    def kernel(*args, **kwargs):
        return _called(op, args, kwargs, autocast_state.get_dtype())

    return kernel


def _in_float32(op):
    def kernel(*args, **kwargs):
        return _called(op, args, kwargs, torch.float32)

    return kernel


def _to_float32_result(op):
    place = [argument.name for argument in op._schema.arguments].index("dtype")

    def kernel(*args, **kwargs):
        given = kwargs.get("dtype") or (args[place] if place < len(args) else None)
        if given is None and _casts(args[0]):
            args, kwargs = args[:place], {**kwargs, "dtype": torch.float32}
        with _Excluded(_KEYS):
            return op(*args, **kwargs)

    return kernel


def _in_widest(op):
    def kernel(*args, **kwargs):
        return _called(op, args, kwargs, _widest((*args, *kwargs.values())))

    return kernel


def _widest(values):
    dtype = autocast_state.get_dtype()
    for value in values:
        for one in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, _Tensor) and one.dtype is torch.float32 and _casts(one):
                return torch.float32
    return dtype


def _in_type_of_input(op):
    def kernel(input, *args, **kwargs):
        if not _casts(input):
            with _Excluded(_KEYS):
                return op(input, *args, **kwargs)
        return _called(op, (input, *args), kwargs, input.dtype)

    return kernel


def _banned(op):
    def kernel(*args, **kwargs):
        raise RuntimeError(_BANNED.lstrip("\n"))

    return kernel


_clear = torch.clear_autocast_cache


def clear_cache():
    """`torch.clear_autocast_cache`, called at the end of the outermost autocast block."""
    _lowered.clear()
    _clear()


def install():
    """Register the kernels; operators in no list run in the type of their arguments."""
    dispatcher.fall_through(AUTOCAST)
    for names, made in (
        (lists.LOWER, _in_lower),
        (lists.SINGLE, _in_float32),
        (lists.RESULT_IN_SINGLE, _to_float32_result),
        (lists.WIDEST, _in_widest),
        (_AS_INPUT, _in_type_of_input),
        (["binary_cross_entropy"], _banned),
    ):
        for name in names:
            op = register.operator(f"aten::{name}")
            if op is not None:
                dispatcher.implement(f"aten::{name}", made(op), AUTOCAST)
    torch.clear_autocast_cache = clear_cache
