"""Tells whoever started this process how the NPU is emulated in it."""

from torch_npu._device import path

try:
    from ascendify_startup.recorder import tell_emulation as _record
except ImportError:  # started by hand, without a runner

    def _record(*_):
        pass


def tell(torch, torch_npu):
    """Tell the two releases, and which way bytes are shared."""
    _record(torch, torch_npu, path.chosen, path.why_not_fast)
