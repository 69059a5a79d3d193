"""Tensors and models that are divided among pretended GPUs: ``DTensor``, ``fully_shard``."""

import sys

from ascendify_startup import import_hooks, torch_dtensor_random
from ascendify_startup.torch_pretend_marks import gpu_of, mark

_SCHEMAS = ("torch.distributed.tensor._op_schema", "torch.distributed._tensor.op_schema")
"""The module that describes the arguments of an operator, in newer and in older releases."""


def begin():
    """Prepare modules when a program imports them."""
    import torch

    torch_dtensor_random.begin(lambda: torch.default_generator)
    _wrap_on_cpu(torch.Tensor)
    for name in _SCHEMAS:
        import_hooks.after(name, lambda name=name: _shapes_on_cpu(sys.modules[name]))


def _wrap_on_cpu(tensor):
    """Make tensors that hold others, for example those of a collective, on the CPU and mark them.

    Modes do not see the function that makes them.
    """
    make = tensor._make_wrapper_subclass

    def make_and_mark(*args, **kwargs):
        index = gpu_of(kwargs.get("device"))
        if index is None:
            return make(*args, **kwargs)
        return mark(make(*args, **dict(kwargs, device="cpu")), index)

    tensor._make_wrapper_subclass = staticmethod(make_and_mark)


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
