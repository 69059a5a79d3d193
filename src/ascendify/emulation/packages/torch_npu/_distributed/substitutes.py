"""Collectives that gloo does not have in every release of torch, made of those it always has."""

import torch
import torch.distributed as dist

MISSING = "does not support"
"""What gloo's error says of a collective that it does not have."""


def run(backend, what, outputs, inputs, kind):
    """Do a collective on cpu tensors and return when it is done; False where none is known."""
    substitute = _SUBSTITUTES.get(what)
    if substitute is None:
        return False
    with torch.no_grad():
        substitute(backend, outputs, inputs, kind)
    return True


def _all_to_all(backend, outputs, inputs, kind):
    sent = torch.cat([tensor.reshape(-1) for tensor in inputs])
    received = sent.new_empty(sum(tensor.numel() for tensor in outputs))
    sizes = [[tensor.numel() for tensor in some] for some in (outputs, inputs)]
    backend.alltoall_base(received, sent, *sizes, dist.AllToAllOptions()).wait()
    for tensor, part in zip(outputs, received.split(sizes[0])):
        tensor.copy_(part.view(tensor.shape))


def _reduce_scatter(backend, outputs, inputs, kind):
    for output, parts in zip(outputs, inputs):
        whole = torch.cat([part.reshape(-1) for part in parts])
        _own_part(backend, output, whole, kind)


def _reduce_scatter_base(backend, output, whole, kind):
    _own_part(backend, output, whole.reshape(-1).clone(), kind)


def _reduce_scatter_coalesced(backend, outputs, wholes, kind):
    for output, whole in zip(outputs, wholes):
        _reduce_scatter_base(backend, output, whole, kind)


def _own_part(backend, output, whole, kind):
    options = dist.AllreduceOptions()
    options.reduceOp = kind
    backend.allreduce([whole], options).wait()
    output.copy_(whole.chunk(backend.size())[backend.rank()].view(output.shape))


_SUBSTITUTES = {
    "alltoall_": _all_to_all,
    "reduce_scatter_": _reduce_scatter,
    "_reduce_scatter_base_": _reduce_scatter_base,
    "reduce_scatter_tensor_coalesced_": _reduce_scatter_coalesced,
}
