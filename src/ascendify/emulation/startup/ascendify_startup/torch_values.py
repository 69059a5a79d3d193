"""The values of a tensor, wherever it is, without anything that the program could notice."""


def on_cpu(tensor):
    """A tensor of the CPU with the same values; the strict checks of the stand-ins see no copy."""
    import torch

    tensor = tensor.detach()
    if tensor.is_sparse:
        tensor = tensor.coalesce().values()
    if hasattr(tensor, "to_local"):
        tensor = tensor.to_local()
    if type(tensor) is not torch.Tensor:
        tensor = tensor.as_subclass(torch.Tensor)
    alias = _alias() if tensor.device.type == "npu" else None
    return alias(tensor) if alias is not None else tensor.cpu()


def _alias():
    """The stand-in's own way to the bytes, None where the device is real."""
    try:
        from torch_npu._device.alias import to_cpu
    except ImportError:
        return None
    return to_cpu


def as_array(tensor):
    """An array of numpy, which knows no bfloat16."""
    import torch

    values = on_cpu(tensor)
    if values.dtype not in _known(torch):
        values = values.float()
    return values.contiguous().numpy().copy()


def _known(torch):
    return (
        torch.float16,
        torch.float32,
        torch.float64,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.bool,
        torch.complex64,
        torch.complex128,
    )
