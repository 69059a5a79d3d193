"""Refuse what a GPU refuses: tensors on different devices in one call, a wrong generator.

Only tensors that are marked as being on the CPU are refused (see :mod:`torch_pretend_marks`).
"""

import types

from ascendify_startup.torch_pretend_marks import Places, gpu_of, marked, place_of

_OF_THE_FIRST = frozenset(
    [
        "__getitem__",
        "expand_as",
        "reshape_as",
        "split",
        "split_with_sizes",
        "tensor_split",
        "view_as",
        "chunk",
        "narrow",
    ]
)
"""Functions whose results are where their first argument is, whatever the others are."""
_ANYWHERE = frozenset(
    [
        "__deepcopy__",
        "_has_compatible_shallow_copy_type",
        "_make_subclass",
        "_make_wrapper_subclass",
        "as_subclass",
        "backward",
        "bernoulli_",
        "broadcast_tensors",
        "can_cast",
        "copy_",
        "is_same_size",
        "is_set_to",
        "new_tensor",
        "register_hook",
        "resize_as_",
        "result_type",
        "set_",
        "to",
        "_foreach_copy_",
    ]
)
"""Functions that take tensors of several devices."""
_WITH_LENGTHS = frozenset(
    [
        "ctc_loss",
        "gru",
        "lstm",
        "rnn_relu",
        "rnn_tanh",
        "_pack_padded_sequence",
        "_pad_packed_sequence",
    ]
)
"""Functions that take whole numbers, such as lengths, on the CPU."""
_EVEN_NUMBERS = frozenset(
    [
        "cat",
        "column_stack",
        "concat",
        "concatenate",
        "dstack",
        "hstack",
        "row_stack",
        "stack",
        "vstack",
    ]
)
"""Functions that do not even take a tensor without dimensions of the CPU; others take it."""
_ASSIGNING = ("__setitem__", "index_put", "index_put_")
_WRITTEN_IN_C = (
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
)
_OF_TORCH = ("torch.functional", "torch.nn.functional", "torch._tensor")


def check_together(func, args, kwargs, places):
    """Refuse tensors that are not on one device; return the place of the results.

    Args:
        func: A function of torch.
        args: Its arguments.
        kwargs: Its keyword arguments.
        places: Where the tensors among them are; at least one is on a GPU.
    """
    name = getattr(func, "__name__", "")
    if name in _OF_THE_FIRST:
        if name == "__getitem__":
            _check_indices(args[0], args[1])
        return marked(args[0])
    if name in _ANYWHERE or not _is_checked(func):
        return places.gpu
    if name == "__set__":
        _check_gradient(func, args)
    elif name in _ASSIGNING:
        _check_assignment(args)
    elif places.is_mixed:
        raise _apart(args, kwargs)
    else:
        for tensor in _on_cpu((args, *kwargs.values())):
            if name in _WITH_LENGTHS and not tensor.is_floating_point():
                continue
            if tensor.dim() or name in _EVEN_NUMBERS:
                raise _apart(args, kwargs)
    return places.gpu


def _is_checked(func):
    """Whether a function computes something; libraries may take what they like."""
    return isinstance(func, _WRITTEN_IN_C) or getattr(func, "__module__", "") in _OF_TORCH


def _apart(args, kwargs):
    found = sorted({_name_of(one) for one in _tensors((args, *kwargs.values()))} - {""})
    return RuntimeError(
        "Expected all tensors to be on the same device, but found at least two devices, %s and %s!"
        % tuple([*reversed(found[:2])] if found[0] == "cpu" else found[:2])
    )


def _name_of(tensor):
    place = place_of(tensor)
    return "cpu" if place is None else "cuda:%d" % place if isinstance(place, int) else ""


def _tensors(values):
    import torch

    for value in values:
        if isinstance(value, torch.Tensor):
            yield value
        elif isinstance(value, (tuple, list)):
            for found in _tensors(value):
                yield found


def _on_cpu(values):
    for tensor in _tensors(values):
        # tensors on "meta" are on no device at all
        if place_of(tensor) is None and tensor.device.type == "cpu":
            yield tensor


def _check_indices(tensor, index):
    """Refuse to index a tensor of the CPU with tensors of a GPU."""
    if place_of(tensor) is not None:
        return
    for one in _tensors(index if isinstance(index, (tuple, list)) else (index,)):
        if one.dim() and marked(one) is not None:
            raise RuntimeError(
                "indices should be either on cpu or on the same device as the indexed tensor (cpu)"
            )


def _check_assignment(args):
    """Refuse to assign by tensors what is on another device; slices are copied from anywhere."""
    if len(args) < 3:
        return
    tensor, index, value = args[:3]
    _check_indices(tensor, index)
    by_tensor = any(one.dim() for one in _tensors(index if isinstance(index, tuple) else (index,)))
    (tensor_at, value_at) = place_of(tensor), next(map(place_of, _tensors([value])), tensor)
    known = all(one is None or isinstance(one, int) for one in (tensor_at, value_at))
    if by_tensor and known and tensor_at != value_at and value.dim():
        raise _apart((tensor, value), {})


def _check_gradient(func, args):
    """Refuse a gradient that is not where its tensor is."""
    owner = getattr(func, "__self__", None)
    if getattr(owner, "__name__", "") != "grad" or len(args) < 2 or args[1] is None:
        return
    places = Places().see(args)
    if places.is_mixed or places.on_cpu:
        raise RuntimeError(
            "attempting to assign a gradient with device type '%s' to a tensor with device type "
            "'%s'. Please ensure that the gradient and the tensor are on the same device"
            % tuple(_name_of(one).partition(":")[0] for one in reversed(args[:2]))
        )


def check_arguments(args, kwargs, gpu, is_on_cpu, pinned):
    """Refuse a generator of another device, and pinned memory of a GPU.

    Args:
        args: The arguments of a function of torch.
        kwargs: Its keyword arguments.
        gpu: The GPU of the result, None for another device.
        is_on_cpu: Whether the result is on the CPU for certain.
        pinned: Whether pinned memory is requested.
    """
    if pinned and gpu is not None:
        raise RuntimeError("Only dense CPU tensors can be pinned")
    generator = kwargs.get("generator")
    if generator is None:
        return
    if gpu is None and not any(True for _ in _tensors((*args, *kwargs.values()))):
        gpu = default_gpu() if kwargs.get("device") is None else None
    elif gpu is None and not is_on_cpu:
        return
    wanted, found = "cpu" if gpu is None else "cuda", generator.device.type
    if wanted != found:
        raise RuntimeError(
            "Expected a '%s' device type for generator but found '%s'" % (wanted, found)
        )


def default_gpu():
    """Return the GPU that a default device names, None for another default."""
    from torch.utils import _device

    return gpu_of(getattr(_device, "CURRENT_DEVICE", None))


def answers(torch):
    """Return replacements for functions that a GPU refuses or that make tensors from lists."""
    tensor = torch.Tensor
    found = {
        tensor.numpy: _numpy,
        tensor.__array__: _array,
    }
    for owner, names in (
        (torch, ("bmm", "dot", "matmul", "mm", "mv")),
        (tensor, ("__matmul__", "bmm", "dot", "matmul", "mm", "mv")),
        (torch.nn.functional, ("linear",)),
    ):
        for name in names:
            function = getattr(owner, name)
            found[function] = _product(torch, function)
    for function in (torch.tensor, torch.as_tensor):
        found[function] = _from_values(function)
    return found


def _numpy(tensor, *, force=False):
    _refuse_for_numpy(None if force else marked(tensor))
    return tensor.numpy(force=force)


def _array(tensor, *args, **kwargs):
    _refuse_for_numpy(marked(tensor))
    return tensor.__array__(*args, **kwargs)


def _refuse_for_numpy(gpu):
    if gpu is not None:
        raise TypeError(
            "can't convert cuda:%d device type tensor to numpy. Use Tensor.cpu() to copy the "
            "tensor to host memory first." % gpu
        )


_SHOWN = {"int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte"}


def _is_whole(tensor):
    return not (tensor.is_floating_point() or tensor.is_complex() or tensor.is_quantized)


def _product(torch, function):
    """Refuse matrix products of whole numbers, which a GPU does not compute."""
    from ascendify_startup import torch_pretend

    def answer(*args, **kwargs):
        first = args[0] if args else None
        if isinstance(first, torch.Tensor) and marked(first) is not None and _is_whole(first):
            kind = str(first.dtype).rpartition(".")[2]
            raise RuntimeError(
                "\"addmm_cuda\" not implemented for '%s'" % _SHOWN.get(kind, kind.capitalize())
            )
        return torch_pretend.call(function, args, kwargs)

    return answer


def _from_values(function):
    """Make a tensor of a list on the default device, wherever the numbers in the list are."""
    from ascendify_startup import torch_pretend
    from ascendify_startup.torch_pretend_marks import mark_new

    def answer(data, *args, **kwargs):
        if not isinstance(data, (tuple, list)) or kwargs.get("device") is not None:
            return torch_pretend.call(function, (data, *args), kwargs)
        pinned = kwargs.pop("pin_memory", False)
        made = function(data, *args, **kwargs)
        mark_new(made)
        return made.pin_memory() if pinned else made

    return answer
