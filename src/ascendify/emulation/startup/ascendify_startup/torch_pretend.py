"""Run PyTorch programs written for a GPU on the CPU, with a pretended GPU.

A ``TorchFunctionMode`` intercepts every call of a torch function, tensor method or tensor
attribute. It removes GPUs from the arguments and marks the tensors that are on a pretended GPU. The
modules ``torch_pretend_*`` replace what such a mode does not see: ``torch.cuda``,
``torch.backends``, autocast, process groups, files. Results are those of PyTorch's CPU kernels.

Builds of PyTorch with and without CUDA are treated in the same way. The code tests for features,
never for releases.
"""

import os
import threading

from ascendify_startup import import_hooks, torch_pretend_places
from ascendify_startup.torch_pretend_marks import (
    UNKNOWN,
    Places,
    check,
    current,
    gpu_of,
    mark,
    mark_new,
    marked,
    place_of,
    put,
    unsure,
)
from ascendify_startup.torch_values import own_part

_PINNED = "_ascendify_pinned"
"""Attribute of a storage in pretended pinned memory: views of a pinned tensor are pinned, too."""
_UNMARKED = (
    "dim",
    "element_size",
    "is_complex",
    "is_contiguous",
    "is_floating_point",
    "item",
    "nelement",
    "numel",
    "size",
    "stride",
    "tolist",
)
"""Methods whose results are not tensors."""
_UNMARKED_ATTRIBUTES = ("dtype", "grad_fn", "is_leaf", "layout", "ndim", "requires_grad", "shape")

_MODE = []
"""The class of the mode, once torch is imported."""


def begin():
    """Pretend GPUs from the moment torch is imported."""
    import_hooks.after("torch", _patch)


def _patch():
    from ascendify_startup import (
        torch_pretend_autocast,
        torch_pretend_autograd,
        torch_pretend_backends,
        torch_pretend_comm,
        torch_pretend_cuda,
        torch_pretend_data_parallel,
        torch_pretend_devices,
        torch_pretend_distributed,
        torch_pretend_files,
        torch_pretend_fused,
        torch_pretend_memory,
        torch_pretend_profiler,
        torch_pretend_sharded,
        torch_pretend_streams,
        torch_pretend_triton,
    )

    for part in (
        torch_pretend_backends,  # first, since cuDNN asks a pretended GPU what it is
        torch_pretend_cuda,
        torch_pretend_comm,
        torch_pretend_memory,
        torch_pretend_streams,
        torch_pretend_devices,
        torch_pretend_triton,
        torch_pretend_autocast,
        torch_pretend_autograd,
        torch_pretend_profiler,
        torch_pretend_distributed,
        torch_pretend_files,
        torch_pretend_data_parallel,
        torch_pretend_fused,
        torch_pretend_sharded,
    ):
        part.begin()
    _keep_marks_of_parameters()
    _record_no_streams()
    _keep_marks_of_items()
    _MODE.append(_make_mode())
    _in_every_thread(_MODE[0])


def _make_mode():
    """Return the class of the mode; it needs torch, which is imported after this module."""
    import torch
    from torch.overrides import TorchFunctionMode

    special = _special(torch).get
    plain = bool(os.environ.get("ASCENDIFY_PLAIN_LAYOUT"))

    class PretendedGpu(TorchFunctionMode):
        """Removes GPUs from the arguments and marks the results."""

        def __torch_function__(self, func, types, args=(), kwargs=None):
            if plain and kwargs:
                kwargs = _without_layout(torch, func, kwargs)
            answer = special(func)
            if answer is not None:
                return answer(*args, **kwargs) if kwargs else answer(*args)
            return call(func, args, kwargs or {})

    return PretendedGpu


def _without_layout(torch, func, kwargs):
    """Remove ``memory_format=torch.channels_last``, except from tests such as ``is_contiguous``."""
    layouts = (torch.channels_last, torch.channels_last_3d)
    if kwargs.get("memory_format") not in layouts or func is torch.Tensor.is_contiguous:
        return kwargs
    return {name: value for name, value in kwargs.items() if name != "memory_format"}


def enter_mode():
    """Return a context in which the mode is active; it does nothing if the mode already is."""
    import torch
    from torch import overrides

    if torch._C._len_torch_function_stack():
        stack = overrides._get_current_function_mode_stack()
        if any(isinstance(one, _MODE[0]) for one in stack):
            return _AsItIs()
    return _MODE[0]()


class _AsItIs(object):
    """A context manager that does nothing."""

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


def call(func, args, kwargs):
    """Call a function of torch on the CPU, and mark results made from tensors of a GPU."""
    pinned = False
    places = Places().see(args)
    if not kwargs:
        index, is_on_cpu = places.gpu, not places.unknown
        requested = None
    else:
        places.see(kwargs.values())
        index, is_on_cpu = places.gpu, not places.unknown
        requested = kwargs.get("device")
        if requested is not None:
            index = gpu_of(requested)
            is_on_cpu = requested is not unsure() and str(requested).startswith("cpu")
            if index is not None:
                check(index)
                kwargs = dict(kwargs, device="cpu")
        if "pin_memory" in kwargs:
            kwargs = dict(kwargs)
            pinned = kwargs.pop("pin_memory")
        torch_pretend_places.check_arguments(args, kwargs, index, is_on_cpu, pinned)
    if places.gpu is not None and (places.on_cpu or places.is_mixed) and requested is None:
        index = torch_pretend_places.check_together(func, args, kwargs, places)
    try:
        result = func(*args, **kwargs)
    except RuntimeError as error:
        from ascendify_startup import torch_pretend_errors

        result = torch_pretend_errors.recover(func, args, kwargs, error)
    # A tensor that is changed in place keeps its device.
    if index is not None:
        if not (args and result is args[0]):
            mark(result, index)
    elif is_on_cpu:
        mark_new(result)
    return _pinned(result) if pinned else result


def _special(torch):
    """Return replacements for functions that move tensors or return their device."""
    from ascendify_startup import (
        torch_pretend_autograd,
        torch_pretend_backends,
        torch_pretend_devices,
        torch_pretend_files,
        torch_pretend_fused,
    )

    tensor = torch.Tensor
    move = _Moves()
    answers = {
        tensor.cuda: move.cuda,
        tensor.cpu: move.cpu,
        tensor.to: move.to,
        tensor.type: move.type,
        tensor.type_as: move.type_as,
        tensor.device.__get__: _device,
        tensor.is_cuda.__get__: lambda one, *_: marked(one) is not None,
        tensor.is_cpu.__get__: lambda one, *_: marked(one) is None and one.is_cpu,
        tensor.get_device: lambda one: -1 if marked(one) is None else marked(one),
        tensor.data.__set__: _set_data,
        tensor.pin_memory: _pin,
        tensor.is_pinned: _is_pinned,
        tensor.is_shared: lambda one: marked(one) is not None or one.is_shared(),
    }
    # These methods are also functions of the module.
    answers[torch.get_device] = answers[tensor.get_device]
    answers[torch.dropout] = answers[torch.nn.functional.dropout] = _dropout
    for name in ("is_pinned", "pin_memory"):
        if hasattr(torch, name):
            answers[getattr(torch, name)] = answers[getattr(tensor, name)]
    for name in _UNMARKED:
        answers[getattr(tensor, name)] = getattr(tensor, name)
    for name in _UNMARKED_ATTRIBUTES:
        getter = getattr(tensor, name).__get__
        answers[getter] = getter
    for part in (
        torch_pretend_autograd,
        torch_pretend_backends,
        torch_pretend_devices,
        torch_pretend_files,
        torch_pretend_fused,
        torch_pretend_places,
    ):
        answers.update(part.answers(torch))
    return answers


def _dropout(input, p=0.5, training=True, inplace=False):
    """Run dropout as one operator, as a GPU does; the CPU's own dropout rounds differently."""
    import torch

    index = marked(input)
    if index is None or not training or inplace or not 0 < p < 1 or input.numel() == 0:
        return call(torch.nn.functional.dropout, (input, p, training, inplace), {})
    if input.is_contiguous():
        return mark(torch.native_dropout(input, p, training)[0], index)
    from ascendify_startup import torch_dropout

    return mark(input * torch_dropout.draw_mask(input, p) * (1 / (1 - p)), index)


def _device(tensor, *_):
    import torch

    place = place_of(tensor)
    if isinstance(place, int):
        return torch.device("cuda", place)
    device = tensor.device
    return unsure() if place is UNKNOWN and device.type == "cpu" else device


def _set_data(tensor, value):
    tensor.data = value
    put(tensor, place_of(value))


def _pin(tensor, device=None):
    """Return a copy, as on a GPU, unless the tensor is already pinned."""
    if marked(tensor) is not None:
        raise RuntimeError(
            "cannot pin 'torch.cuda.%s' only dense CPU tensors can be pinned"
            % tensor.type().rpartition(".")[2]
        )
    return tensor if _is_pinned(tensor) else mark(_pinned(tensor.clone()), None)


def _pinned(tensor):
    setattr(_storage(tensor), _PINNED, True)
    return tensor


def _is_pinned(tensor, device=None):
    return getattr(_storage(tensor), _PINNED, False)


def _storage(tensor):
    """Return the memory of a tensor; None if it has none, as a sparse one."""
    try:
        return own_part(tensor).untyped_storage()
    except (NotImplementedError, RuntimeError):
        return None


class _Moves(object):
    """Moves between the CPU and the pretended GPU."""

    def cuda(self, tensor, device=None, non_blocking=False, memory_format=None):
        """Move to a GPU, by default the current one."""
        index = current() if device is None else gpu_of(device)
        if index is None:
            raise ValueError("Invalid device, must be cuda device: %s" % (device,))
        return _moved(tensor, tensor, index)

    def cpu(self, tensor, memory_format=None):
        """Move to the CPU."""
        return _moved(tensor, tensor, None)

    def to(self, tensor, *args, **kwargs):
        """Convert to another device or type, or to those of another tensor."""
        import torch

        first = args[0] if args else kwargs.get("device", kwargs.get("other"))
        if isinstance(first, torch.Tensor):
            result = tensor.to(*args, **kwargs)
            return _moved(tensor, result, place_of(first))
        if isinstance(first, (str, int, torch.device)):
            index = gpu_of(first)
            if index is None and torch.device(first).type != "cpu":
                return tensor.to(*args, **kwargs)
            if first is unsure():
                return tensor.to(*args, **kwargs)
            if args:
                args = ("cpu", *args[1:])
            else:
                kwargs = dict(kwargs, device="cpu")
            return _moved(tensor, tensor.to(*args, **kwargs), index)
        return _moved(tensor, tensor.to(*args, **kwargs), place_of(tensor))

    def type(self, tensor, dtype=None, non_blocking=False, **kwargs):
        """Return the name of a tensor's type, or convert the tensor to another type."""
        on_gpu = "torch.cuda."
        if dtype is None:
            name = tensor.type()
            return name if marked(tensor) is None else name.replace("torch.", on_gpu, 1)
        name = dtype if isinstance(dtype, str) else getattr(dtype, "__module__", "") + "."
        if name.startswith(on_gpu):
            plain = getattr(dtype, "on_cpu", None) or dtype.replace(on_gpu, "torch.", 1)
            return _moved(tensor, tensor.type(plain), current())
        place = place_of(tensor) if not isinstance(dtype, (str, type)) else None
        return _moved(tensor, tensor.type(dtype), place)

    def type_as(self, tensor, other):
        """Convert to the device and the type of another tensor."""
        return _moved(tensor, tensor.type_as(other), place_of(other))


def _moved(tensor, result, place):
    """Return the result of a move: a copy if a GPU would make one.

    Args:
        tensor: What is moved.
        result: The result on the CPU, which may be the tensor itself.
        place: Where it goes: the index of a GPU, None for the CPU, or ``UNKNOWN``.
    """
    if place is UNKNOWN:
        return result
    if place is not None:
        check(place)
    if result is tensor and marked(tensor) != place:
        # this kind of copy also works for parameters of lazy modules
        result = tensor.to("cpu", copy=True) if hasattr(tensor, "materialize") else tensor.clone()
    return result if result is tensor else mark(result, place)


def _keep_marks_of_parameters():
    """Give a parameter the mark of the tensor it is made from."""
    from torch.nn import parameter

    for name in ("Parameter", "Buffer"):
        cls = getattr(parameter, name, None)
        if cls is not None:
            cls.__new__ = staticmethod(_marking(cls.__new__))


def _marking(make):
    def new(cls, data=None, *args, **kwargs):
        made = make(cls, data, *args, **kwargs)
        return made if data is None else put(made, place_of(data))

    return new


def _keep_marks_of_items():
    """Mark results of ``tensor[0]``, which old releases do not pass through a mode."""
    import torch
    from torch.overrides import TorchFunctionMode

    seen = []

    class Sees(TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(func)
            return func(*args, **(kwargs or {}))

    item = torch.Tensor.__getitem__
    zeros = torch.zeros(1)
    with Sees():
        zeros[0]
    if item in seen:
        return

    def getitem(self, index):
        found = item(self, index)
        return put(found, place_of(self))

    torch.Tensor.__getitem__ = getitem


def _record_no_streams():
    """Replace ``record_stream``, whose argument torch would refuse before the mode sees it."""
    import torch

    torch.Tensor.record_stream = lambda self, stream: None


def _in_every_thread(mode):
    """Enter the mode in every new thread too: a mode is active only in its own thread."""
    run = threading.Thread._bootstrap_inner

    def bootstrap(self):
        with mode():
            run(self)

    threading.Thread._bootstrap_inner = bootstrap
    # The mode is never left: it lasts as long as the process.
    mode().__enter__()
