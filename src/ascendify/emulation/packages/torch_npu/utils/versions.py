"""Versions of software that a machine without an NPU does not have."""


def get_cann_version(module="CANN"):
    """The version of a CANN package; without CANN there is none, as in torch_npu."""
    return ""
