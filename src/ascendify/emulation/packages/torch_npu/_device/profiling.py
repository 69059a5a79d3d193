"""`torch.autograd.profiler.profile(use_device="npu")`, which needs times of the device."""

import functools

from torch._C._profiler import ProfilerState
from torch.autograd import profiler

_OF_A_DEVICE = tuple(
    getattr(ProfilerState, name)
    for name in ("KINETO_PRIVATEUSE1", "KINETO_PRIVATEUSE1_FALLBACK")
    if hasattr(ProfilerState, name)
)


def install():
    """Make the profiler use the times of the host, where kernels run here."""
    original = profiler.profile.__init__

    @functools.wraps(original)
    def profile(self, *args, **kwargs):
        original(self, *args, **kwargs)
        if self.enabled and self.profiler_kind in _OF_A_DEVICE:
            self.profiler_kind = ProfilerState.KINETO

    profiler.profile.__init__ = profile
