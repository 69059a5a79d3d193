"""Tells whoever started this process that the NPU is emulated in the slower of two ways."""

from ascendify_startup.recorder import tell_emulation

from torch_npu._device import path


def tell(torch, torch_npu):
    """Tell the two releases, and why bytes are not shared in the fast way."""
    if not path.is_fast:
        tell_emulation(torch, torch_npu, path.chosen, path.why_not_fast)
