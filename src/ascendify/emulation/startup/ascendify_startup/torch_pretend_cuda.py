"""``torch.cuda`` and ``torch.accelerator`` as a program finds them where there is a GPU."""

import time
from contextlib import contextmanager

from ascendify_startup.torch_marks import (
    current,
    device_count,
    gpu_of,
    make_current,
    mark,
    marked,
)

NAME = "pretended GPU"
MEMORY = 16 << 30
CAPABILITY = (8, 0)
VERSION = "12.6"
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
_NOTHING = (
    "_check_capability",
    "_lazy_init",
    "empty_cache",
    "init",
    "ipc_collect",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
    "set_stream",
    "set_sync_debug_mode",
    "synchronize",
)
_ZERO = (
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_usage",
    "utilization",
)


def begin():
    """Replace what asks CUDA by what answers for a GPU."""
    import torch

    cuda = torch.cuda
    for names, value in ((_NOTHING, None), (_ZERO, 0)):
        for name in names:
            _everywhere(cuda, name, _always(value))
    for name, function in _answers(torch).items():
        _everywhere(cuda, name, function)
    torch.version.cuda = torch.version.cuda or VERSION
    _types(torch)
    _nvtx(torch)
    _accelerator(torch)
    _generators(torch)
    _default_devices(torch)


def _everywhere(cuda, name, function):
    """Replace a function in ``torch.cuda`` and in the module of it that has it as well."""
    if callable(function):
        function = _own(function)
    for part in (cuda, cuda.memory, cuda.random, cuda.streams):
        if hasattr(part, name):
            setattr(part, name, function)


def _own(function):
    """An object of its own for every name: torch's compiler wants no two names for one."""
    if isinstance(function, type):
        return type(function.__name__, (function,), {"__module__": "torch.cuda"})

    def own(*args, **kwargs):
        return function(*args, **kwargs)

    return own


def _always(value):
    def answer(*args, **kwargs):
        return value

    return answer


def _answers(torch):
    generator = torch.default_generator

    def seed_with(number):
        generator.manual_seed(int(number))

    return {
        "is_available": _always(True),
        "is_initialized": _always(True),
        "device_count": device_count,
        "current_device": current,
        "set_device": _set_device,
        "get_device_name": _always(NAME),
        "get_device_capability": _always(CAPABILITY),
        "get_device_properties": _always(Properties()),
        "get_arch_list": _always(["sm_80"]),
        "can_device_access_peer": _always(True),
        "is_bf16_supported": _always(True),
        "is_current_stream_capturing": _always(False),
        "is_tf32_supported": _always(True),
        "mem_get_info": _always((MEMORY, MEMORY)),
        "memory_stats": _always({}),
        "memory_snapshot": _always([]),
        "memory_summary": _always(""),
        "device": Device,
        "device_of": lambda tensor: Device(marked(tensor)),
        "_DeviceGuard": Device,
        "Stream": Stream,
        "ExternalStream": Stream,
        "Event": Event,
        "stream": stream,
        "StreamContext": stream,
        "current_stream": lambda device=None: _DEFAULT,
        "default_stream": lambda device=None: _DEFAULT,
        # The random numbers of the GPU are those of the CPU, and so is the state they come from.
        "manual_seed": seed_with,
        "manual_seed_all": seed_with,
        "seed": generator.seed,
        "seed_all": generator.seed,
        "initial_seed": generator.initial_seed,
        "get_rng_state": lambda device=None: generator.get_state(),
        "get_rng_state_all": lambda: [generator.get_state()] * device_count(),
        "set_rng_state": lambda state, device=None: generator.set_state(state),
        "set_rng_state_all": lambda states: generator.set_state(states[0]),
        "default_generators": (generator,) * device_count(),
        "cudart": _Cudart,
    }


def _set_device(device):
    index = gpu_of(device)
    # A negative index means: leave it as it is.
    if index is not None and index >= 0:
        make_current(index)


class Properties(object):
    """What a program may ask about a GPU."""

    name = NAME
    major, minor = CAPABILITY
    total_memory = MEMORY
    multi_processor_count = 80
    is_integrated = False
    is_multi_gpu_board = False
    warp_size = 32
    max_threads_per_multi_processor = 2048
    gcnArchName = ""  # noqa: N815 (torch's name)

    def __repr__(self):
        return "_CudaDeviceProperties(name=%r, total_memory=%dMB)" % (NAME, MEMORY >> 20)


class Device(object):
    """``with torch.cuda.device(1):``."""

    def __init__(self, device):
        self.idx = gpu_of(device)
        self.prev_idx = -1

    def __enter__(self):
        self.prev_idx = current()
        _set_device(self.idx)

    def __exit__(self, *error):
        make_current(self.prev_idx)
        return False


class Stream(object):
    """A queue of work; on a CPU all work is done when it is asked for."""

    def __init__(self, device=None, priority=0, **kwargs):
        self.device_index = current() if gpu_of(device) is None else gpu_of(device)
        self.priority = priority
        self.cuda_stream = 0

    @property
    def device(self):
        """The GPU it belongs to."""
        import torch

        return torch.device("cuda", self.device_index)

    def synchronize(self):
        """Everything is done already."""

    def wait_stream(self, stream):
        """Everything is done already."""

    def wait_event(self, event):
        """Everything is done already."""

    def record_event(self, event=None):
        """An event of this moment."""
        event = event or Event(enable_timing=True)
        event.record(self)
        return event

    def query(self):
        """Whether everything is done."""
        return True

    def is_capturing(self):
        """Whether what is asked for is recorded as a graph instead of done."""
        return False

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return False


_DEFAULT = Stream(0)


class Event(object):
    """A moment."""

    def __init__(self, enable_timing=False, blocking=False, interprocess=False, **kwargs):
        self._time = None
        self.cuda_event = 0

    def record(self, stream=None):
        """It is now."""
        self._time = time.perf_counter()

    def wait(self, stream=None):
        """Everything is done already."""

    def synchronize(self):
        """Everything is done already."""

    def query(self):
        """Whether it has come."""
        return True

    def elapsed_time(self, end):
        """Milliseconds until another event."""
        if self._time is None or end._time is None:
            raise ValueError("both events must be recorded before their times are compared")
        return (end._time - self._time) * 1000.0


@contextmanager
def stream(stream):
    """``with torch.cuda.stream(s):``."""
    yield stream


class _Cudart(object):
    """The runtime's functions that programs call: profiling."""

    def __getattr__(self, name):
        return _always(0)


class _TypeOnGpu(type):
    """``torch.cuda.FloatTensor`` and its like: makers of tensors, and names of types."""

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

    def set_default_tensor_type(t):
        if isinstance(t, str):
            t = t.replace("torch.cuda.", "torch.")
        set_default(getattr(t, "on_cpu", t))

    torch.set_default_tensor_type = set_default_tensor_type


def _nvtx(torch):
    from torch.cuda import nvtx

    @contextmanager
    def marked_range(msg, *args, **kwargs):
        yield

    for name in ("range_push", "range_pop", "range_start", "range_end", "mark"):
        setattr(nvtx, name, _own(_always(0)))
    nvtx.range = marked_range
    torch.cuda.profiler.start, torch.cuda.profiler.stop = _always(None), _always(None)


def _accelerator(torch):
    accelerator = getattr(torch, "accelerator", None)
    if accelerator is None:
        return

    def current_accelerator(check_available=False):
        return torch.device("cuda")

    replaced = {
        "is_available": _always(True),
        "device_count": device_count,
        "current_accelerator": current_accelerator,
        "current_device_index": current,
        "current_device_idx": current,
        "set_device_index": _set_device,
        "set_device_idx": _set_device,
        "device_index": Device,
        "current_stream": lambda device=None: _DEFAULT,
        "set_stream": _always(None),
        "synchronize": _always(None),
        "empty_cache": _always(None),
        "memory_allocated": _always(0),
        "max_memory_allocated": _always(0),
        "memory_reserved": _always(0),
        "max_memory_reserved": _always(0),
        "memory_stats": _always({}),
        "reset_peak_memory_stats": _always(None),
        "get_device_capability": _always({}),
    }
    for name, function in replaced.items():
        if hasattr(accelerator, name):
            setattr(accelerator, name, _own(function))


def _generators(torch):
    """A generator of the GPU is one of the CPU."""
    plain = torch.Generator

    class OfAnyDevice(type):
        def __instancecheck__(cls, value):
            return isinstance(value, plain)

        def __call__(cls, device="cpu"):
            return plain("cpu" if gpu_of(device) is not None else device)

    torch.Generator = OfAnyDevice("Generator", (), {"__module__": "torch"})


def _default_devices(torch):
    """A default that is a GPU is the CPU; the mode comes too late to take it out."""
    from torch.utils import _device

    initialise = _device.DeviceContext.__init__

    def on_cpu(self, device):
        initialise(self, "cpu" if gpu_of(device) is not None else device)

    _device.DeviceContext.__init__ = on_cpu
