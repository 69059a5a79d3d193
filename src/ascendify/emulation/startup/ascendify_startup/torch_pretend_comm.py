"""``torch.cuda.comm``: copies between the GPUs of one process."""

from ascendify_startup.torch_pretend_marks import current, gpu_of


def begin():
    """Replace the functions, which need CUDA."""
    from torch.cuda import comm
    from torch.nn.parallel import comm as where_it_is

    for function in (
        broadcast,
        broadcast_coalesced,
        reduce_add,
        reduce_add_coalesced,
        scatter,
        gather,
    ):
        for module in (comm, where_it_is):
            setattr(module, function.__name__, function)


def broadcast(tensor, devices=None, out=None):
    """Copy a tensor to each GPU, or into each tensor of ``out``."""
    if devices is None:
        return tuple(one.copy_(tensor) for one in out)
    return tuple(tensor.to(_gpu(device)) for device in devices)


def broadcast_coalesced(tensors, devices, buffer_size=10485760):
    """Copy several tensors to each GPU."""
    return tuple([one.to(_gpu(device)) for one in tensors] for device in devices)


def reduce_add(inputs, destination=None):
    """Add up tensors of several GPUs on one of them."""
    where = _gpu(current() if destination is None else destination)
    total = inputs[0].to(where).clone()
    for one in inputs[1:]:
        total.add_(one.to(where))
    return total


def reduce_add_coalesced(inputs, destination=None, buffer_size=10485760):
    """Add up several tensors of each GPU on one of them."""
    return tuple(reduce_add(list(one), destination) for one in zip(*inputs))


def scatter(tensor, devices=None, chunk_sizes=None, dim=0, streams=None, out=None):
    """Split a tensor into parts for the GPUs."""
    if out is not None:
        sizes = [one.size(dim) for one in out]
        parts = tensor.split(sizes, dim)
        return tuple(one.copy_(part) for one, part in zip(out, parts))
    devices = [_gpu(device) for device in devices]
    sizes = None if chunk_sizes is None else list(chunk_sizes)
    parts = tensor.chunk(len(devices), dim) if sizes is None else tensor.split(sizes, dim)
    return tuple(part.to(device) for part, device in zip(parts, devices))


def gather(tensors, dim=0, destination=None, out=None):
    """Join tensors of several GPUs on one device."""
    import torch

    if out is not None:
        return torch.cat([one.to(out.device) for one in tensors], dim, out=out)
    index = gpu_of(destination)
    # -1 and "cpu" name the CPU here
    on_cpu = destination is not None and (index is None or index < 0)
    where = torch.device("cpu") if on_cpu else _gpu(current() if index is None else index)
    return torch.cat([one.to(where) for one in tensors], dim)


def _gpu(device):
    import torch

    return torch.device("cuda", gpu_of(device))
