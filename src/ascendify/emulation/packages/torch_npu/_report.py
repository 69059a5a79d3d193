"""Report to the process that started this one that the emulation uses the slower path."""

from ascendify_startup.recorder import report_emulation

from torch_npu._device import path


def report_path(torch, torch_npu):
    """Report the two releases, and why bytes are not shared by the fast path."""
    if not path.is_fast:
        report_emulation(torch, torch_npu, path.chosen, path.why_not_fast)
