"""``torch.cuda`` of the pretended GPU: devices, their properties, random numbers."""

from contextlib import contextmanager

from ascendify_startup import torch_pretend_errors
from ascendify_startup.torch_pretend_marks import (
    check,
    current,
    device_count,
    gpu_of,
    is_in_bad_fork,
    is_used,
    make_current,
    marked,
)

NAME = "pretended GPU"
MEMORY = 16 << 30
CAPABILITY = (8, 0)
VERSION = "12.6"
_NCCL_VERSION = (2, 21, 5)
_NOTHING = (
    "_check_bf16_tensor_supported",
    "_check_capability",
    "_check_cubins",
    "_sleep",
    "ipc_collect",
    "set_sync_debug_mode",
)
_ZERO = (
    "device_memory_used",
    "get_sync_debug_mode",
    "memory_usage",
    "utilization",
)
_REFUSED = ("_compile_kernel", "current_blas_handle", "current_solver_handle")


def begin():
    """Replace functions that call CUDA by functions that answer for the pretended GPU."""
    import torch

    for names, value in ((_NOTHING, None), (_ZERO, 0)):
        for name in names:
            everywhere(torch.cuda, name, always(value))
    for name in _REFUSED:
        everywhere(torch.cuda, name, torch_pretend_errors.refuse("torch.cuda." + name))
    for name, function in _answers(torch).items():
        everywhere(torch.cuda, name, function)
    torch.cuda._lazy_init = torch.cuda.memory._lazy_init = torch_pretend_errors.initialise_lazily
    torch.cuda.random._lazy_init = torch_pretend_errors.initialise_lazily
    torch.cuda._lazy_call = lambda action, **kwargs: action()
    torch.version.cuda = torch.version.cuda or VERSION
    if not hasattr(torch._C, "_cuda_getCurrentRawStream"):
        # torch's compiler imports it from a build that has CUDA
        torch._C._cuda_getCurrentRawStream = always(0)
    _nvtx(torch)
    _nccl(torch)
    _jiterator(torch)


def everywhere(cuda, name, function):
    """Replace a function in ``torch.cuda`` and in its submodules that also have it."""
    if callable(function) and not isinstance(function, type):
        function = own(function)
    for part in (cuda, cuda.memory, cuda.random, cuda.streams, cuda.graphs):
        if hasattr(part, name):
            setattr(part, name, function)


def own(function):
    """Return a separate function object: torch's compiler refuses two names for one object."""

    def answer(*args, **kwargs):
        return function(*args, **kwargs)

    # torch's compiler unwraps decorators
    answer.__wrapped__ = function
    return answer


def always(value):
    """Return a function that always returns this value."""

    def answer(*args, **kwargs):
        return value

    return answer


def _answers(torch):
    generator = torch.default_generator

    def seed_with(number):
        generator.manual_seed(int(number))

    def properties(device=None):
        index = _index(device, optional=True)
        if not 0 <= index < device_count():
            raise AssertionError("Invalid device id")
        check(index)
        return Properties()

    return {
        "is_available": always(True),
        "init": _initialise,
        "is_initialized": is_used,
        "_is_compiled": always(True),
        "_is_in_bad_fork": is_in_bad_fork,
        "synchronize": lambda device=None: check(_index(device, optional=True)),
        "_nvml_based_avail": always(False),
        "device_count": device_count,
        "_device_count_nvml": device_count,
        "_raw_device_count_nvml": device_count,
        "current_device": _current_device,
        "set_device": set_device,
        "_exchange_device": _exchange,
        "_maybe_exchange_device": _exchange,
        "_get_device": lambda device: torch.device("cuda", gpu_of(device)),
        "_get_device_index": _index,
        "get_device_name": lambda device=None: properties(device).name,
        "get_device_capability": lambda device=None: (
            properties(device).major,
            properties(device).minor,
        ),
        "get_device_properties": properties,
        "_get_device_properties": properties,
        "get_arch_list": always(["sm_80", "sm_90"]),
        "get_gencode_flags": always(
            "-gencode compute=compute_80,code=sm_80 -gencode compute=compute_90,code=sm_90"
        ),
        "can_device_access_peer": always(True),
        "is_bf16_supported": always(True),
        "is_tf32_supported": always(True),
        "has_half": True,
        "has_magma": True,
        "temperature": always(40),
        "power_draw": always(100000),
        "clock_rate": always(1410),
        "device": DeviceContext,
        "device_of": _DeviceOf,
        "_DeviceGuard": _DeviceGuard,
        # The GPU's random numbers and generator state are those of the CPU.
        "manual_seed": seed_with,
        "manual_seed_all": seed_with,
        "seed": generator.seed,
        "seed_all": generator.seed,
        "initial_seed": generator.initial_seed,
        "get_rng_state": lambda device=None: generator.get_state(),
        "get_rng_state_all": lambda: [generator.get_state() for _ in range(device_count())],
        "set_rng_state": lambda new_state, device=None: generator.set_state(new_state),
        "set_rng_state_all": lambda new_states: generator.set_state(new_states[0]),
        "_get_generator": always(generator),
        "default_generators": (generator,) * device_count(),
        "cudart": _Cudart,
    }


def _initialise():
    check(current())


def _current_device():
    _initialise()
    return current()


def set_device(device):
    """Make a GPU the current one; a negative index leaves it as it is."""
    index = _index(device)
    if not isinstance(device, int) and _as_device(device).index is None:
        raise ValueError(
            "Expected a torch.device with a specified index or an integer, but got:%s" % (device,)
        )
    if index >= 0:
        make_current(index)


def _as_device(device):
    import torch

    return torch.device(device) if isinstance(device, str) else device


def _exchange(index):
    before = current()
    if index >= 0:
        make_current(index)
    return before


def _index(device, optional=False, allow_cpu=False):
    """Return the index of a device, as torch's helper of this name does."""
    import torch

    if device is None and optional:
        return current()
    index = gpu_of(device)
    if index is not None:
        return index
    if optional and not isinstance(device, (str, torch.device)):
        return current()  # torch asks the current device about any other object
    if allow_cpu and torch.device(device).type == "cpu":
        return -1
    raise ValueError("Expected a cuda device, but got: %s" % (device,))


class Properties(object):
    """The properties of the pretended GPU."""

    name = NAME
    major, minor = CAPABILITY
    total_memory = MEMORY
    multi_processor_count = 80
    is_integrated = 0
    is_multi_gpu_board = 0
    warp_size = 32
    max_threads_per_multi_processor = 2048
    max_threads_per_block = 1024
    regs_per_multiprocessor = 65536
    shared_memory_per_block = 48 << 10
    shared_memory_per_block_optin = 163 << 10
    shared_memory_per_multiprocessor = 164 << 10
    L2_cache_size = 40 << 20
    clock_rate = 1410000
    memory_clock_rate = 1215000
    memory_bus_width = 5120
    pci_bus_id = pci_device_id = pci_domain_id = 0
    uuid = "00000000-0000-0000-0000-000000000000"
    gcnArchName = ""  # noqa: N815 (torch's name)

    def __repr__(self):
        return (
            "_CudaDeviceProperties(name=%r, major=%d, minor=%d, total_memory=%dMB, "
            "multi_processor_count=%d)"
            % (NAME, self.major, self.minor, MEMORY >> 20, self.multi_processor_count)
        )


class DeviceContext(object):
    """``with torch.cuda.device(1):``."""

    def __init__(self, device):
        self.idx = -1 if device is None else _index(device)
        self.prev_idx = -1

    def __enter__(self):
        self.prev_idx = current()
        set_device(self.idx)

    def __exit__(self, *error):
        make_current(self.prev_idx)
        return False


class _DeviceOf(DeviceContext):
    """``with torch.cuda.device_of(tensor):``; a tensor on the CPU changes nothing."""

    def __init__(self, obj):
        super(_DeviceOf, self).__init__(marked(obj))


class _DeviceGuard(DeviceContext):
    """The same by index."""


class _Cudart(object):
    """Functions of the CUDA runtime that programs call: profiling, memory, synchronisation."""

    cudaError = type("cudaError", (), {"success": 0})  # noqa: N815 (CUDA's name)

    def __getattr__(self, name):
        if not name.startswith("cuda"):
            raise AttributeError(name)
        return always((MEMORY, MEMORY) if name == "cudaMemGetInfo" else 0)


def _nvtx(torch):
    from torch.cuda import nvtx, profiler

    @contextmanager
    def marked_range(msg, *args, **kwargs):
        yield

    for name in ("range_push", "range_pop", "range_start", "range_end", "mark"):
        setattr(nvtx, name, own(always(0)))
    nvtx.range = marked_range

    @contextmanager
    def profile():
        yield

    profiler.start, profiler.stop = own(always(0)), own(always(0))
    profiler.init, profiler.profile = own(always(None)), profile


def _nccl(torch):
    from torch.cuda import nccl

    if not hasattr(torch._C, "_nccl_version"):
        nccl.version = always(_NCCL_VERSION)
    nccl.is_available = lambda tensors: all(marked(one) is not None for one in tensors)
    for name in ("all_reduce", "reduce", "broadcast", "all_gather", "reduce_scatter"):
        setattr(nccl, name, torch_pretend_errors.refuse("torch.cuda.nccl." + name))


def _jiterator(torch):
    from torch.cuda import jiterator

    for name in ("_create_jit_fn", "_create_multi_output_jit_fn"):
        if hasattr(jiterator, name):
            refused = torch_pretend_errors.refuse(
                "torch.cuda.jiterator.%s (kernels written in C++)" % name
            )
            setattr(jiterator, name, refused)
