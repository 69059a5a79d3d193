"""View the same bytes on the other device, as every kernel does with its arguments and results.

The implementation depends on the build of torch (see `path`); the interface does not.
"""

import torch

from torch_npu._device import path
from torch_npu._device.core import TensorBase

if path.is_fast:
    from torch_npu._device import alias_fast as _path
else:
    from torch_npu._device import alias_portable as _path

adopt = _path.adopt
host = _path.host
host_out = _path.host_out
is_npu = _path.is_npu
seen_on_npu = _path.seen_on_npu
set_device = _path.set_device
synchronise = _path.synchronise
to_cpu = _path.to_cpu
to_npu = _path.to_npu

__all__ = [
    "adopt",
    "host",
    "host_list",
    "host_or_cpu",
    "host_or_cpu_list",
    "host_out",
    "is_npu",
    "seen_on_npu",
    "set_device",
    "synchronise",
    "to_cpu",
    "to_npu",
]

_is_cpu = TensorBase.is_cpu.__get__


def host_or_cpu(tensor, where):
    """As `host`, for kernels that accept tensors of both devices."""
    if isinstance(tensor, torch.Tensor) and _is_cpu(tensor):
        return tensor
    return host(tensor, where)


def host_list(tensors, where):
    """`host` for a list of tensors, some of which may be None."""
    return [host(tensor, where) for tensor in tensors]


def host_or_cpu_list(tensors, where):
    """`host_or_cpu` for a list."""
    return [host_or_cpu(tensor, where) for tensor in tensors]
