"""Save tensors with their pretended GPU, and load them to the GPU that the program names."""

from ascendify_startup.torch_pretend_marks import (
    UNKNOWN,
    current,
    device_count,
    gpu_of,
    mark,
    mark_storage,
    marked,
    place_of,
    put,
    unmark,
)

_FIRST = 0
"""Priority: before PyTorch's own functions, which test whether the GPU exists."""


def begin():
    """Replace functions that find the device of a storage or copy between devices."""
    import torch
    from torch import serialization

    serialization.register_package(_FIRST, _location, _restored)
    untyped, typed = torch.storage._StorageBase, torch.storage.TypedStorage

    def cuda(self, device=None, non_blocking=False):
        index = current() if device is None else gpu_of(device)
        return mark_storage(self.clone(), index)

    def typed_cuda(self, device=None, non_blocking=False):
        moved = cuda(self._untyped_storage, device)
        return typed(wrap_storage=moved, dtype=self.dtype, _internal=True)

    untyped.cuda, typed.cuda = cuda, typed_cuda
    _parameters(torch.nn.parameter.Parameter)
    set_ = torch.Tensor.set_

    def set_and_mark(self, *args, **kwargs):
        """Give a tensor the mark of its storage: modes do not see storages."""
        set_(self, *args, **kwargs)
        source = args[0] if args else kwargs.get("source")
        index = marked(getattr(source, "_untyped_storage", source))
        return put(self, UNKNOWN if index is None else index)

    torch.Tensor.set_ = set_and_mark


def _location(storage):
    """Return the name of a storage's device for a file, None for PyTorch's own result."""
    index = marked(storage)
    return None if index is None else "cuda:%d" % index


def _restored(storage, location):
    """Return the storage on the GPU that a file or the program names, None for another device."""
    index = gpu_of(location)
    if index is None:
        return None
    if index >= device_count():
        raise RuntimeError(
            "Attempting to deserialize object on CUDA device %d but torch.cuda.device_count() is "
            "%d. Please use torch.load with map_location to map your storages to an existing "
            "device." % (index, device_count())
        )
    return mark_storage(storage, index)


def answers(torch):
    """Return replacements that write a tensor without its mark."""
    tensor = torch.Tensor

    def reduce(one, protocol):
        """Pickle a tensor without its mark, which is written as the location of its storage."""
        index, place = marked(one), place_of(one)
        unmark(one)
        try:
            reduced = one.__reduce_ex__(protocol)
        finally:
            put(one, place)
        for part in reduced[1]:
            if isinstance(part, torch.storage.TypedStorage):
                mark_storage(part._untyped_storage, index)
        return reduced

    return {tensor.__reduce_ex__: reduce}


def _parameters(parameter):
    original = parameter.__reduce_ex__

    def reduce(self, protocol):
        """Pickle a parameter without its mark, which is that of its data."""
        index, place = marked(self), place_of(self)
        if place is UNKNOWN:
            return original(self, protocol)
        unmark(self)
        try:
            reduced = original(self, protocol)
        finally:
            put(self, place)
        if index is not None:
            mark(reduced[1][0], index)
        return reduced

    parameter.__reduce_ex__ = reduce
