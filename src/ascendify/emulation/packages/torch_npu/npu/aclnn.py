"""`torch.npu.aclnn`: the device's kernel library, which is not installed here."""

allow_hf32 = True
"""Whether convolutions may round to hf32; stored without effect."""


def version():
    """None: the library is not installed."""
    return
