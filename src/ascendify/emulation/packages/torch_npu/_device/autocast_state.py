"""Whether autocast is on for the npu, and the type it computes in.

torch stores both from 2.4 on. Older releases have one switch in the core, a dispatch key that is
excluded or not; the type is stored here.
"""

import threading

import torch

from torch_npu._device.keys import AUTOCAST

if hasattr(torch, "get_autocast_dtype"):

    def is_enabled():
        return torch.is_autocast_enabled("npu")

    def set_enabled(enable):
        torch.set_autocast_enabled("npu", enable)

    def get_dtype():
        return torch.get_autocast_dtype("npu")

    def set_dtype(dtype):
        torch.set_autocast_dtype("npu", dtype)

else:
    _state = threading.local()

    def is_enabled():
        return not torch._C._dispatch_tls_is_dispatch_key_excluded(AUTOCAST)

    def set_enabled(enable):
        torch._C._dispatch_tls_set_dispatch_key_excluded(AUTOCAST, not enable)

    def get_dtype():
        return getattr(_state, "dtype", torch.float16)

    def set_dtype(dtype):
        _state.dtype = dtype
