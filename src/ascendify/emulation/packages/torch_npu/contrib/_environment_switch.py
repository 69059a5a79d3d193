"""TORCH_TRANSFER_TO_NPU: switch on transfer_to_npu without a change in the program."""

import os

_NAME = "TORCH_TRANSFER_TO_NPU"


def follow_environment():
    """Import transfer_to_npu if the variable is 1; any other value than 0 is an error."""
    value = os.environ.get(_NAME, "0")
    if value not in ("0", "1"):
        raise ValueError("%s must be 0 or 1, not %r" % (_NAME, value))
    if value == "1":
        from . import transfer_to_npu  # noqa: F401
