"""How rules spell the API of npu_device: one function a thing they put into the user's code."""

from __future__ import annotations

from ascendify.rules.kit import File, Fix
from ascendify.rules.tf1._npu import OPTIONS_MODULE

OPENS = ("npu_device.open", "npu_device.npu_device.open")
"""Functions that open the device, by every path from which people import them."""
ENABLES_V1 = (
    "npu_device.compat.enable_v1",
    "npu_device.npu_device.enable_v1",
    "npu_device.enable_v1",
)
"""Functions that make sessions of compat.v1 run on the NPU."""
SETTER = "set_global_options"
"""The function of the generated module that sets the options."""


def opening(file: File, fix: Fix) -> list[str]:
    """The statements that open the NPU with the requested options."""
    lines = [f"{fix.use('npu_device')}.open().as_default()"]
    return [f"{setter(fix)}()", *lines] if file.facts.has_options_module else lines


def setter(fix: Fix) -> str:
    """The function of the generated module that sets the options."""
    return fix.use(OPTIONS_MODULE, SETTER)


def early_opening(file: File) -> list[str]:
    """The same statements with imports of their own, for a place before other imports."""
    lines = ["import npu_device", "", "npu_device.open().as_default()"]
    if not file.facts.has_options_module:
        return lines
    own = f"from {OPTIONS_MODULE} import {SETTER}"
    return [lines[0], own, "", f"{SETTER}()", lines[-1]]
