"""`torch.npu.aclnn`: the library of kernels of the device, of which there is none here."""

allow_hf32 = True
"""Whether convolutions may round to hf32; recorded only."""


def version():
    """None: the library is not installed."""
    return
