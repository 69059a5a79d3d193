"""Tells whoever started this process that the NPU is emulated in the slower of two ways."""

from torch_npu._device import path

try:
    from ascendify_startup.recorder import tell_emulation as _record
except ImportError:  # started by hand, without a runner

    def _record(*_):
        pass


def tell(torch, torch_npu):
    """Tell the two releases, and why bytes are not shared in the fast way."""
    if not path.is_fast:
        _record(torch, torch_npu, path.chosen, path.why_not_fast)
