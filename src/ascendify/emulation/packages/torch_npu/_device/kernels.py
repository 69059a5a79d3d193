"""A kernel of the npu for any operator, made from the operator's schema.

The text of a kernel depends only on the kinds of its arguments and results, so operators with the
same pattern share one compiled function. What runs is straight-line code: each tensor argument
becomes a cpu alias, the cpu kernel runs, results become npu tensors.
"""

import functools

import torch

from torch_npu._device import accounting, alias, devices, generator
from torch_npu._device.schema import pattern_of

watchers = []
"""Called with (operator, arguments, keyword arguments) before a kernel runs."""

_on_watch = []


def watch(callable_):
    """Have `callable_(op, args, kwargs)` called before every kernel; what it raises is raised."""
    watchers.append(callable_)
    for again in _on_watch:
        again()


def when_watched(callable_):
    """Have `callable_()` called whenever a watcher comes."""
    _on_watch.append(callable_)


def watched(op, kernel):
    """The kernel with the watchers before it, or itself when nobody watches."""
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
    """The kernel of an operator."""
    pattern, places = pattern_of(op)
    names = tuple(f"argument {name} in method {op._schema.name}" for name in places.names)
    return _factory(pattern)(op._op, op.overloadpacket, names, places.defaults)


@functools.lru_cache(maxsize=None)
def _factory(pattern):
    namespace = {
        name: getattr(alias, name)
        for name in ("adopt", "host", "host_list", "host_or_cpu", "host_or_cpu_list")
    }
    namespace |= {"lend": generator.lend, "give_back": generator.give_back}
    namespace |= {"own_device": devices.own_device, "synchronise": synchronise}
    namespace["with_numbers"] = with_numbers
    # the text is made of our own patterns alone, never of anything a user wrote
    exec(compile(pattern.source(), f"<npu kernel {pattern.kinds}>", "exec"), namespace)  # noqa: S102
    return namespace["make"]


def with_numbers(error, packet, *args, **kwargs):
    """Try again with another overload: a number may have come in the place of a tensor."""
    if "Expected a value of type 'Tensor'" not in str(error):
        raise error
    return packet(*args, **kwargs)


def synchronise(tensor, result):
    """Give an `out=` argument the shape its cpu alias was resized to."""
    if result.shape != tensor.shape or result.stride() != tensor.stride():
        with torch.no_grad():
            _set(
                _CPU_KEYS,
                tensor,
                result.untyped_storage(),
                result.storage_offset(),
                result.shape,
                result.stride(),
            )
        alias.set_device(tensor)
        accounting.holds(tensor)


_set = torch.ops.aten.set_.source_Storage_storage_offset.redispatch
_CPU_KEYS = torch._C.DispatchKeySet(torch._C.DispatchKey.CPU)
