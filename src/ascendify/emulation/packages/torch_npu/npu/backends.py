"""`torch.npu.backends`: the device's cache of plans for Fourier transforms, always empty here."""

from torch_npu._device.devices import index_of
from torch_npu.npu.devices import _checked

_LARGEST = 4096


class _PlanCache:
    """The cache of one device: always empty; its limit can be set."""

    def __init__(self):
        self.max_size = _LARGEST

    @property
    def size(self):
        """Number of plans in the cache."""
        return 0

    def clear(self):
        """Clear the cache."""


class _PlanCaches:
    """The cache of the current device, or of another one by index."""

    def __init__(self):
        object.__setattr__(self, "_caches", {})

    def __getitem__(self, device):
        return self._caches.setdefault(_checked(device), _PlanCache())

    def __getattr__(self, name):
        return getattr(self[index_of(None)], name)

    def __setattr__(self, name, value):
        setattr(self[index_of(None)], name, value)


fft_plan_cache = _PlanCaches()
