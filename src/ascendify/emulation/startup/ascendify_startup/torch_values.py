"""Read the values of a tensor on any device, without side effects for the program."""


def on_cpu(tensor):
    """Return a CPU tensor with the same values, without a copy that strict mode would count."""
    import torch

    tensor = own_part(tensor).detach()
    if tensor.is_sparse:
        tensor = tensor.coalesce().values()
    if type(tensor) is not torch.Tensor:
        tensor = tensor.as_subclass(torch.Tensor)
    alias = _alias() if tensor.device.type == "npu" else None
    return alias(tensor) if alias is not None else tensor.cpu()


def own_part(tensor):
    """Return the part of a ``DTensor`` that this rank holds; other tensors as they are.

    Read from its field: when the process exits, PyTorch can no longer compute it.
    """
    return getattr(tensor, "_local_tensor", tensor)


def is_divided(tensor):
    """Whether this rank holds only a part of a tensor: a shard, or an addend."""
    placements = getattr(tensor, "placements", None) or ()
    return any(not one.is_replicate() for one in placements)


def _alias():
    """Return the stand-in's function for the bytes of a tensor, None for a real device."""
    try:
        from torch_npu._device.alias import to_cpu
    except ImportError:
        return None
    return to_cpu


def as_array(tensor):
    """Return a numpy array; types that numpy lacks, such as bfloat16, are converted."""
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
