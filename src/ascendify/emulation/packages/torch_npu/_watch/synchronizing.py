"""Count calls that do nothing but wait for the device."""

import functools

from torch_npu import npu
from torch_npu._watch import operators, user_lines


def begin():
    """Count waits for a device, a stream and an event."""
    npu.synchronize = _watched(npu.synchronize)
    for kind in (npu.Stream, npu.Event):
        kind.synchronize = _watched(kind.synchronize)


def _watched(wait):
    @functools.wraps(wait)
    def watched(*args, **kwargs):
        operators.wait(operators.ALL, user_lines.current())
        return wait(*args, **kwargs)

    return watched
