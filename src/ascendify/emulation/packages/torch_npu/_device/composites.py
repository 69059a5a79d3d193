"""Run operators that torch implements with branches for known accelerators as a whole on the cpu.

Recurrent networks and attention choose a fused kernel by device. Here such an operator runs on cpu
aliases with the cpu's own autograd; the aliases pass gradients from one device to the other.
"""

import torch
from ascendify_startup import torch_half

from torch_npu._device import generator
from torch_npu._device.alias import adopt, host, to_cpu, to_npu
from torch_npu._device.keys import AUTOGRAD, NPU

_NAMES = (
    "lstm.input",
    "lstm.data",
    "gru.input",
    "gru.data",
    "rnn_tanh.input",
    "rnn_tanh.data",
    "rnn_relu.input",
    "rnn_relu.data",
    "lstm_cell",
    "gru_cell",
    "scaled_dot_product_attention",
)


_LENGTHS = "argument batch_sizes"
"""Argument of a packed sequence that is always on the cpu."""


class _ToCpu(torch.autograd.Function):
    """The cpu alias of an npu tensor; its gradient is returned to the npu."""

    @staticmethod
    def forward(ctx, tensor):
        return to_cpu(tensor)

    @staticmethod
    def backward(ctx, gradient):
        return None if gradient is None else to_npu(gradient)


class _ToNpu(torch.autograd.Function):
    """The npu alias of a cpu tensor; its gradient is returned to the cpu."""

    @staticmethod
    def forward(ctx, tensor):
        return to_npu(tensor)

    @staticmethod
    def backward(ctx, gradient):
        return None if gradient is None else to_cpu(gradient)


def _in(value, where):
    if isinstance(value, torch.Tensor):
        if value.is_cpu:
            return value if where.startswith(_LENGTHS) else host(value, where)
        return _ToCpu.apply(value) if value.requires_grad else host(value, where)
    if isinstance(value, (list, tuple)):
        return [_in(one, where) for one in value]
    return value


def _out(value):
    if isinstance(value, torch.Tensor):
        return _ToNpu.apply(value) if value.requires_grad else adopt(value)
    if isinstance(value, (list, tuple)):
        return type(value)(_out(one) for one in value)
    return value


def _draws(op, args, kwargs):
    """Whether the call draws random numbers: dropout between layers or in attention."""
    given = dict(zip((a.name for a in op._schema.arguments), args), **kwargs)
    if "dropout_p" in given:
        return given["dropout_p"] > 0
    return bool(given.get("dropout")) and given.get("train", False)


def _as_a_whole(op):
    names = [f"argument {a.name} in method {op._schema.name}" for a in op._schema.arguments]

    def kernel(*args, **kwargs):
        inputs = [_in(value, where) for value, where in zip(args, names)]
        keywords = {key: _in(value, f"argument {key}") for key, value in kwargs.items()}
        if _draws(op, args, kwargs):
            with generator.drawing():
                return _out(torch_half.call(op, inputs, keywords))
        return _out(torch_half.call(op, inputs, keywords))

    return kernel


def kernels():
    """Yield (operator, kernel, dispatch key)."""
    for name in _NAMES:
        base, _, overload = name.partition(".")
        op = getattr(getattr(torch.ops.aten, base), overload or "default")
        kernel = _as_a_whole(op)
        yield f"aten::{name}", kernel, AUTOGRAD
        yield f"aten::{name}", kernel, NPU
