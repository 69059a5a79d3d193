"""Generate an npu kernel for any operator from the operator's schema.

The source of a kernel depends only on the kinds of its arguments and results, so operators with
the same pattern share one compiled function. It is straight-line code: each tensor argument becomes
a cpu alias, the cpu kernel runs, results become npu tensors.
"""

import functools

import torch
from ascendify_startup import torch_half

from torch_npu._device import alias, devices, generator
from torch_npu._device.core import TensorBase
from torch_npu._device.schema import pattern_of

watchers = []
"""Called with (operator, arguments, keyword arguments) before a kernel runs."""

_on_watch = []


def watch(callable_):
    """Call `callable_(op, args, kwargs)` before every kernel from now on; its errors propagate."""
    watchers.append(callable_)
    for again in _on_watch:
        again()


def when_watched(callable_):
    """Call `callable_()` whenever a watcher is added."""
    _on_watch.append(callable_)


def with_watchers(op, kernel):
    """Return a kernel that first calls the watchers, or the kernel itself if there are none."""
    if not watchers:
        return kernel
    seen = tuple(watchers)

    @functools.wraps(kernel)
    def watched_kernel(*args, **kwargs):
        for see in seen:
            see(op, args, kwargs)
        return kernel(*args, **kwargs)

    return watched_kernel


@functools.lru_cache(maxsize=None)
def kernel_of(op):
    """Return the kernel of an operator."""
    pattern, places = pattern_of(op)
    names = tuple(f"argument {name} in method {op._schema.name}" for name in places.names)
    return _factory(pattern)(_quickest(op), op, names, places.defaults)


_FREQUENT = frozenset(
    """
    add sub mul div neg abs exp log sqrt rsqrt pow tanh sigmoid relu gelu silu mm bmm addmm baddbmm
    sum mean cat clone zeros_like ones_like empty_like gather index_select embedding where
    _softmax _log_softmax native_layer_norm native_batch_norm
    add_ sub_ mul_ div_ zero_ fill_ addcmul_ addcdiv_ lerp_ clamp_ sqrt_
    """.split()
)
"""Operators that take up most of a training step."""


def _quickest(op):
    """Return the callable with the least overhead: for frequent operators, torch's binding."""
    namespace, _, name = op._schema.name.partition("::")
    if namespace != "aten" or name not in _FREQUENT or any(a.is_out for a in op._schema.arguments):
        return op._op
    holder = TensorBase if name.endswith("_") else torch._C._VariableFunctions
    return getattr(holder, name, op._op)


@functools.lru_cache(maxsize=None)
def _factory(pattern):
    # the source contains only our own patterns, never text from a user
    namespace = dict(_NAMES)
    exec(compile(pattern.source(), f"<npu kernel {pattern.kinds}>", "exec"), namespace)  # noqa: S102
    return namespace["make"]


def again(error, op, *args, **kwargs):
    """Try the operator itself after the fastest binding failed, then its other overloads.

    A binding may not accept every argument of the schema; and where a number is passed for a
    tensor, only another overload accepts it.
    """
    if isinstance(error, TypeError):
        return op(*args, **kwargs)
    if "Expected a value of type 'Tensor'" in str(error):
        return op.overloadpacket(*args, **kwargs)
    return torch_half.call_after(error, op, args, kwargs)


_NAMES = {
    "adopt": alias.adopt,
    "again": again,
    "give_back": generator.give_back,
    "host": alias.host,
    "host_list": alias.host_list,
    "host_or_cpu": alias.host_or_cpu,
    "host_or_cpu_list": alias.host_or_cpu_list,
    "host_out": alias.host_out,
    "lend": generator.lend,
    "own_device": devices.own_device,
    "stays": devices.stays,
    "synchronise": alias.synchronise,
}
"""Names that the source of a kernel uses."""
