"""Makes "npu" a device type of torch: its name, its module, its methods, its hooks."""

import importlib
import inspect
import sys
import types

import torch

from torch_npu._device import guard

_QUANTISED = (torch.quint8, torch.quint4x2, torch.quint2x4, torch.qint32, torch.qint8)


def name_device_type():
    """Let `torch.device("npu")` exist."""
    torch.utils.rename_privateuse1_backend("npu")
    guard.install()
    # the first tensor of a device type has the core call this function of its module, once; that
    # tensor is a probe, and the device shall count as unused until the user's first one
    placeholder = types.ModuleType("torch.npu")
    placeholder._lazy_init = lambda: None
    sys.modules["torch.npu"] = placeholder
    importlib.import_module("torch_npu._device.path")
    del sys.modules["torch.npu"]


def register_module(module):
    """Make `module` `torch.npu`, and give tensors, modules and storages their methods."""
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
