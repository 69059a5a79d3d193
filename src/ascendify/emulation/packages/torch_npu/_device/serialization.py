"""Checkpoints: storages are saved with the tag `npu:N` and loaded back to the npu."""

import torch

from torch_npu._device import devices
from torch_npu._device.storage import adopt_storage

_BEFORE_THE_STOCK_ONE = 1
"""Priority: torch tries packages in ascending order, and its own needs an allocator."""


def _tag(storage):
    if storage.device.type == "npu":
        return f"npu:{devices.state.index}"
    return None


def _restored(storage, location):
    if not location.startswith("npu"):
        return None
    device = torch.device(location)
    if not devices.device_count():
        raise RuntimeError(
            "Attempting to deserialize object on an NPU device but torch.npu.is_available() is "
            "False. If you are running on a CPU-only machine, use torch.load with "
            "map_location=torch.device('cpu') to map your storages to the CPU."
        )
    if (device.index or 0) >= devices.device_count():
        raise RuntimeError(
            f"Attempting to deserialize object on NPU device {device.index} but "
            f"torch.npu.device_count() is {devices.device_count()}. Please use torch.load with "
            "map_location to map your storages to an existing device."
        )
    untyped = storage.untyped() if isinstance(storage, torch.TypedStorage) else storage
    return adopt_storage(untyped)


def install():
    """Register the tag for `torch.save` and `torch.load`."""
    torch.serialization.register_package(_BEFORE_THE_STOCK_ONE, _tag, _restored)
