"""Versions of the NPU's software, which is not installed here."""


def get_cann_version(module="CANN"):
    """The version of a CANN package; without CANN there is none, as in torch_npu."""
    return ""
