"""Tensors and models that are divided among pretended GPUs: ``DTensor``, ``fully_shard``."""

import sys

from ascendify_startup import import_hooks, torch_dtensor_random

_SCHEMAS = ("torch.distributed.tensor._op_schema", "torch.distributed._tensor.op_schema")
"""The module that describes the arguments of an operator, in newer and in older releases."""


def begin():
    """Prepare modules when a program imports them."""
    import torch

    torch_dtensor_random.begin(lambda: torch.default_generator)
    for name in _SCHEMAS:
        import_hooks.after(name, lambda name=name: _shapes_on_cpu(sys.modules[name]))


def _shapes_on_cpu(module):
    """Compute the shapes of results with tensors of the CPU that have no data.

    Torch takes tensors of the mesh's device for that, which need a build with a GPU.
    """
    import torch

    def rebuild(arg):
        meta = arg.tensor_meta
        if meta is None:
            raise AssertionError("DTensorSpec does not contain tensor_meta.")
        return torch.empty_strided(meta.shape, meta.stride, dtype=meta.dtype, device="cpu")

    if hasattr(module, "_rebuild_tensor_from_dtensor_meta"):
        module._rebuild_tensor_from_dtensor_meta = rebuild
