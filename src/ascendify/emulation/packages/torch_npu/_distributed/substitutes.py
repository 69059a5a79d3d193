"""Substitutes for collectives that gloo lacks in some releases, by the names of c10d's operators.

The pretended GPU uses the same functions (`torch_gloo`), so that both compute in the same way.
"""

import torch
from ascendify_startup import torch_gloo

MISSING = "does not support"
"""Part of gloo's error message for a collective that it does not have."""


def run(backend, what, outputs, inputs, kind):
    """Run the substitute of a collective on cpu tensors; return False if there is none."""
    substitute = _SUBSTITUTES.get(what)
    if substitute is None:
        return False
    with torch.no_grad():
        substitute(backend, outputs, inputs, kind)
    return True


def _all_to_all(backend, outputs, inputs, kind):
    torch_gloo.all_to_all(backend, outputs, inputs)


def _reduce_scatter(backend, outputs, inputs, kind):
    for output, parts in zip(outputs, inputs):
        torch_gloo.reduce_scatter(backend, output, parts, kind)


def _reduce_scatter_coalesced(backend, outputs, wholes, kind):
    for output, whole in zip(outputs, wholes):
        torch_gloo.reduce_scatter_tensor(backend, output, whole, kind)


_SUBSTITUTES = {
    "alltoall_": _all_to_all,
    "reduce_scatter_": _reduce_scatter,
    "_reduce_scatter_base_": torch_gloo.reduce_scatter_tensor,
    "reduce_scatter_tensor_coalesced_": _reduce_scatter_coalesced,
}
