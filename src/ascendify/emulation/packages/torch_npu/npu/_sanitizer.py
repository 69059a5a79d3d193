"""`torch.npu._sanitizer`: detects streams that use one tensor at the same time.

Kernels run one after another here, so it never finds any.
"""

_state = {"enabled": False}


def enable_npu_sanitizer():
    """Detect races from now on; the setting is stored without effect."""
    _state["enabled"] = True
