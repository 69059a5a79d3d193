"""`torch.npu._sanitizer`: looks for streams that use one tensor at the same time.

Kernels run one after another here, so none is ever found.
"""

_state = {"enabled": False}


def enable_npu_sanitizer():
    """Look for races from now on; recorded only."""
    _state["enabled"] = True
