"""`torch.npu.backends`: the plans of Fourier transforms that a device keeps. Here it keeps none."""

from torch_npu._device.devices import index_of
from torch_npu.npu.devices import _checked

_LARGEST = 4096


class _PlanCache:
    """The cache of one device: its limit can be set, and it is always empty."""

    def __init__(self):
        self.max_size = _LARGEST

    @property
    def size(self):
        """Plans that are kept."""
        return 0

    def clear(self):
        """Forget every plan."""


class _PlanCaches:
    """The cache of the current device, or by index that of another."""

    def __init__(self):
        object.__setattr__(self, "_caches", {})

    def __getitem__(self, device):
        return self._caches.setdefault(_checked(device), _PlanCache())

    def __getattr__(self, name):
        return getattr(self[index_of(None)], name)

    def __setattr__(self, name, value):
        setattr(self[index_of(None)], name, value)


fft_plan_cache = _PlanCaches()
