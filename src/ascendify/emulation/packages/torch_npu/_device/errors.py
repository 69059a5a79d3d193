"""Errors of kernels for tensors that they do not accept."""

import torch

_MIXED = (
    "Expected all tensors to be on the same device, but found at least two devices, {device} and "
    "cpu! (when checking argument for {where})"
)


def left_on_cpu(where):
    """Return the error for a tensor that was left on the cpu."""
    return RuntimeError(_MIXED.format(device=f"npu:{torch.npu.current_device()}", where=where))


def refuse(tensor):
    """Raise an error for a tensor without plain bytes to share."""
    kind = "quantised" if tensor.is_quantized else str(tensor.layout).replace("torch.", "")
    if tensor.layout is torch.strided and not tensor.is_quantized:
        raise RuntimeError(
            f"a kernel of the emulated NPU was given a tensor on {tensor.device}, expected npu or "
            "cpu; move it with .npu() first"
        )
    raise NotImplementedError(
        f"The emulated NPU has no {kind} tensors (found one of shape {tuple(tensor.shape)}); "
        "convert it with .to_dense() or .dequantize(), or keep it on the cpu"
    )
