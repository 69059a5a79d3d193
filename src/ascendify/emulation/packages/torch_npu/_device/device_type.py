"""Make "npu" a device type of torch: its name, module, methods and hooks."""

import importlib
import inspect
import sys
import types

import torch

from torch_npu._device import guard

_QUANTISED = (torch.quint8, torch.quint4x2, torch.quint2x4, torch.qint32, torch.qint8)


def name_device_type():
    """Make `torch.device("npu")` valid."""
    torch.utils.rename_privateuse1_backend("npu")
    guard.install()
    # the core calls this function of the module for the first tensor of a device type; that tensor
    # is a probe, and the device must count as unused until the user's first tensor
    placeholder = types.ModuleType("torch.npu")
    placeholder._lazy_init = lambda: None
    sys.modules["torch.npu"] = placeholder
    importlib.import_module("torch_npu._device.path")
    del sys.modules["torch.npu"]


def register_module(module):
    """Install `module` as `torch.npu`, and add methods to tensors, modules and storages."""
    torch._register_device_module("npu", module)
    sys.modules["torch.npu"] = module
    generate = torch.utils.generate_methods_for_privateuse1_backend
    packed = {"for_packed_sequence": True}
    if "for_packed_sequence" not in inspect.signature(generate).parameters:
        packed = {}
    generate(
        for_tensor=True,
        for_module=True,
        for_storage=True,
        unsupported_dtype=list(_QUANTISED),
        **packed,
    )
