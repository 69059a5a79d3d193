"""Devices named by numbers, default devices, tensor types, generators and accelerators."""

from ascendify_startup.torch_pretend_cuda import (
    MEMORY,
    DeviceContext,
    always,
    own,
    set_device,
)
from ascendify_startup.torch_pretend_marks import (
    check,
    current,
    device_count,
    first_marked,
    gpu_of,
    mark,
    marked,
)

_TYPES = (
    "BFloat16Tensor",
    "BoolTensor",
    "ByteTensor",
    "CharTensor",
    "DoubleTensor",
    "FloatTensor",
    "HalfTensor",
    "IntTensor",
    "LongTensor",
    "ShortTensor",
)

_UNCHANGED = []
"""Functions of torch whose device arguments are not changed."""


def begin():
    """Replace functions outside ``torch.cuda`` that take or return a device."""
    import torch

    _numbers(torch)
    _types(torch)
    _generators(torch)
    _default_devices(torch)
    _accelerator(torch)


def answers(torch):
    """Return the functions whose device arguments are not changed."""
    return {function: function for function in _UNCHANGED}


def _numbers(torch):
    """Accept a number as a GPU; some builds first query the driver."""
    parse = torch._C._nn._parse_to

    def parse_to(*args, **kwargs):
        if args and isinstance(args[0], int) and not isinstance(args[0], bool):
            args = (torch.device("cuda", args[0]), *args[1:])
        if isinstance(kwargs.get("device"), int):
            kwargs = dict(kwargs, device=torch.device("cuda", kwargs["device"]))
        parsed = parse(*args, **kwargs)
        index = first_marked((*args, *kwargs.values()))
        return parsed if index is None else (torch.device("cuda", index), *parsed[1:])

    torch._C._nn._parse_to = parse_to
    # a mode sees the function that currently has the name
    _UNCHANGED.append(parse_to)
    try:
        understood = torch.device(0).type == "cuda"
    except RuntimeError:
        understood = False
    if not understood:
        torch.device = _device_type(torch.device)


def _device_type(plain):
    """Return a ``torch.device`` that accepts numbers in every build; it makes the same objects."""

    class AnyDevice(type):
        def __instancecheck__(cls, value):
            return isinstance(value, plain)

        def __subclasscheck__(cls, other):
            return issubclass(other, plain)

        def __call__(cls, *args, **kwargs):
            first = args[0] if args else kwargs.get("device")
            if isinstance(first, int) and not isinstance(first, bool):
                return plain("cuda", first)
            return plain(*args, **kwargs)

        def __eq__(cls, other):
            return other is cls or other is plain

        def __hash__(cls):
            return hash(plain)

        def __getattr__(cls, name):
            return getattr(plain, name)

    return AnyDevice("device", (), {"__module__": "torch", "__doc__": plain.__doc__})


class _TypeOnGpu(type):
    """Metaclass of ``torch.cuda.FloatTensor`` and the like: constructors and names of types."""

    def __instancecheck__(cls, value):
        import torch

        is_tensor = isinstance(value, torch.Tensor)
        return is_tensor and marked(value) is not None and value.dtype is cls.dtype

    def __call__(cls, *args, **kwargs):
        return mark(cls.on_cpu(*args, **kwargs), current())


def _types(torch):
    for name in _TYPES:
        plain = getattr(torch, name)
        members = {"on_cpu": plain, "dtype": plain.dtype, "is_cuda": True}
        members["__module__"] = "torch.cuda"
        setattr(torch.cuda, name, _TypeOnGpu(name, (), members))
    set_default = torch.set_default_tensor_type
    by_type = []

    def set_default_tensor_type(t):
        on_gpu = isinstance(t, _TypeOnGpu) or (isinstance(t, str) and t.startswith("torch.cuda."))
        if isinstance(t, str):
            t = t.replace("torch.cuda.", "torch.")
        set_default(getattr(t, "on_cpu", t))
        if on_gpu or by_type:
            torch.set_default_device("cuda" if on_gpu else None)
        by_type[:] = [True] if on_gpu else []

    torch.set_default_tensor_type = set_default_tensor_type


def _generators(torch):
    """Replace ``torch.Generator``: a GPU generator is a CPU generator with a GPU as device."""
    plain = torch.Generator

    class OfAnyDevice(type):
        def __instancecheck__(cls, value):
            return isinstance(value, plain)

        def __call__(cls, device="cpu"):
            index = gpu_of(device)
            if index is None:
                return plain(device)
            check(index)
            made = OnGpu()
            made.index = index
            return made

    class OnGpu(plain):
        """A CPU generator with a GPU as its device."""

        @property
        def device(self):
            return torch.device("cuda", self.index)

        def clone_state(self):
            copy = torch.Generator(self.device)
            copy.set_state(self.get_state())
            return copy

    torch.Generator = OfAnyDevice("Generator", (), {"__module__": "torch"})


def _default_devices(torch):
    """Support default devices: ``with torch.device('cuda')`` and ``set_default_device``."""
    from torch.utils import _device

    original = _device.DeviceContext.__torch_function__
    makers = []

    def torch_function(self, func, types, args=(), kwargs=None):
        index = gpu_of(self.device)
        if index is None:
            return original(self, func, types, args, kwargs)
        kwargs = dict(kwargs or {})
        if not makers:
            makers.append(_device._device_constructors())
        if func not in makers[0] or kwargs.get("device") is not None:
            return func(*args, **kwargs)
        # The mode of the pretended GPU may be entered before or after this one.
        kwargs["device"] = "cpu"
        return mark(func(*args, **kwargs), index)

    _device.DeviceContext.__torch_function__ = torch_function
    if hasattr(torch, "get_default_device"):
        get = torch.get_default_device

        def get_default_device():
            found = get()
            if found.type == "cuda" and found.index is None:
                return torch.device("cuda", current())
            return found

        torch.get_default_device = get_default_device


def _accelerator(torch):
    """Replace the functions of ``torch.accelerator``: the accelerator is CUDA."""
    cuda = torch.device("cuda")
    for name in ("_get_accelerator", "_accelerator_getAccelerator"):
        if hasattr(torch._C, name):
            setattr(torch._C, name, own(always(cuda)))
    if hasattr(torch, "get_device_module"):
        get_device_module = torch.get_device_module

        def of_a_device(device=None):
            return torch.cuda if device is None else get_device_module(device)

        torch.get_device_module = of_a_device
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is None:
        return
    memory = getattr(accelerator, "memory", None)
    answers = {
        "is_available": always(True),
        "device_count": device_count,
        "current_accelerator": always(cuda),
        "current_device_index": current,
        "current_device_idx": current,
        "set_device_index": set_device,
        "set_device_idx": set_device,
        "synchronize": always(None),
        "get_device_capability": lambda device=None: _dtypes(torch),
        "get_memory_info": always((MEMORY, MEMORY)),
        "empty_host_cache": always(None),
    }
    for name in (
        "current_stream",
        "set_stream",
        "empty_cache",
        "memory_allocated",
        "max_memory_allocated",
        "memory_reserved",
        "max_memory_reserved",
        "memory_stats",
        "reset_accumulated_memory_stats",
        "reset_peak_memory_stats",
    ):
        answers[name] = _of_cuda(torch, name)
    for name, function in answers.items():
        for module in (accelerator, memory):
            if hasattr(module, name):
                setattr(module, name, own(function))
    if hasattr(accelerator, "device_index"):
        accelerator.device_index = type("device_index", (DeviceContext,), {"__module__": "torch"})
    if hasattr(accelerator, "Graph"):
        accelerator.Graph = _graph(torch)


def _of_cuda(torch, name):
    def answer(*args, **kwargs):
        return getattr(torch.cuda, name)(*args, **kwargs)

    return answer


def _dtypes(torch):
    known = [getattr(torch, name[: -len("Tensor")].lower(), None) for name in _TYPES]
    return {"supported_dtypes": {one for one in known if isinstance(one, torch.dtype)}}


def _graph(torch):
    """Return ``torch.accelerator.Graph``: a CUDA graph that is its own context manager."""

    class Graph(torch.cuda.CUDAGraph):
        """A graph that captures inside ``with``."""

        def __init__(self, *args, **kwargs):
            super().__init__()

        def __enter__(self):
            self.capture_begin()
            return self

        def __exit__(self, *error):
            self.capture_end()
            return False

    return Graph
