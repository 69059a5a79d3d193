"""Importing this module makes a program for CUDA run on the NPU, as in torch_npu.

It replaces parts of torch for the whole process, with all the side effects of the real one:
torch.cuda refers to the NPU, "cuda" becomes "npu" in the arguments of many functions (see
_rewriting.py), torch.jit.script does nothing, warnings are shown once.
"""

import importlib.util
import logging
import os
import sys
import types
import warnings

import torch
import torch.distributed
import torch.utils._device
import torch.utils.cpp_extension
from torch.nn.parameter import UninitializedTensorMixin

import torch_npu
import torch_npu.profiler

from .._distributed.import_hooks import after_import
from . import _rewriting, _unpatched_cuda

__all__ = []

# torch stores the list of functions that make tensors; it must be stored before the rewriting
torch.utils._device._device_constructors()
warnings.filterwarnings(action="once")

_FACTORIES = (
    "logspace randint hann_window rand full_like ones_like rand_like randperm arange frombuffer "
    "normal _empty_per_channel_affine_quantized empty_strided empty_like scalar_tensor "
    "tril_indices bartlett_window ones sparse_coo_tensor randn kaiser_window tensor triu_indices "
    "as_tensor zeros randint_like full eye _sparse_csr_tensor_unsafe empty "
    "_sparse_coo_tensor_unsafe blackman_window zeros_like range sparse_csr_tensor randn_like "
    "from_file _cudnn_init_dropout_state _empty_affine_quantized linspace hamming_window "
    "empty_quantized _pin_memory load set_default_device get_device_module "
    "sparse_compressed_tensor"
).split()
_TENSOR_METHODS = (
    "new_empty new_empty_strided new_full new_ones new_tensor new_zeros to pin_memory"
).split()
_MODULE_METHODS = ("to", "to_empty")
_CUDA_FUNCTIONS = (
    "get_device_properties get_device_name get_device_capability list_gpu_processes set_device "
    "synchronize mem_get_info memory_stats memory_summary memory_allocated max_memory_allocated "
    "reset_max_memory_allocated memory_reserved max_memory_reserved reset_max_memory_cached "
    "reset_peak_memory_stats default_stream can_device_access_peer current_stream utilization "
    "set_per_process_memory_fraction caching_allocator_alloc"
).split()
_genuine_is_available = torch.cuda.is_available

_BANNER = """
    *************************************************************************************************************
    The torch.Tensor.cuda and torch.nn.Module.cuda are replaced with torch.Tensor.npu and torch.nn.Module.npu now..
    The torch.cuda.DoubleTensor is replaced with torch.npu.FloatTensor cause the double type is not supported now..
    The backend in torch.distributed.init_process_group set to hccl now..
    The torch.cuda.* and torch.cuda.amp.* are replaced with torch.npu.* and torch.npu.amp.* now..
    The device parameters have been replaced with npu in the function below:
    {}
    *************************************************************************************************************
    """  # noqa: E501


def _warn_once_a_job():
    names = ["torch." + name for name in _FACTORIES]
    names += ["torch.Tensor." + name for name in _TENSOR_METHODS]
    names += ["torch.nn.Module." + name for name in _MODULE_METHODS]
    if os.environ.get("RANK", "0") == "0":
        warnings.warn(_BANNER.format(", ".join(names)), ImportWarning, stacklevel=2)


def _wrap(owner, names):
    for name in names:
        function = getattr(owner, name, None)
        if function is not None:
            setattr(owner, name, _rewriting.devices(function))


def _overlay(target, source):
    """Copy the public names of one module into another, which keeps its other names."""
    names = getattr(source, "__all__", None)
    if names is None:
        names = [name for name in vars(source) if not name.startswith("_")]
    for name in names:
        value = getattr(source, name)
        # a submodule stays torch's own, which programs may have imported; it gets the names, too
        if not isinstance(value, types.ModuleType):
            setattr(target, name, value)


def _cuda_namespace():
    _overlay(torch.cuda, torch_npu.npu)
    for name in ("amp", "random", "amp.autocast_mode", "amp.common", "amp.grad_scaler", "memory"):
        source, target = torch_npu.npu, torch.cuda
        for part in name.split("."):
            source, target = getattr(source, part, None), getattr(target, part, None)
        if isinstance(source, types.ModuleType) and isinstance(target, types.ModuleType):
            _overlay(target, source)
    _wrap(torch.cuda, _CUDA_FUNCTIONS)
    if isinstance(torch.cuda.device, type):
        torch.cuda.device.__init__ = _rewriting.devices(torch.cuda.device.__init__)
    torch.cuda.DoubleTensor = torch.npu.FloatTensor
    torch.cuda.CUDAGraph = getattr(torch.npu, "NPUGraph", None)


def _profiler():
    ours = torch_npu.profiler
    for name in ("profile", "schedule", "tensorboard_trace_handler", "ProfilerAction"):
        setattr(torch.profiler, name, getattr(ours, name))
    # torch's own activities cannot be changed, so the name refers to torch_npu's
    torch.profiler.ProfilerActivity = _activities(ours.ProfilerActivity)
    stock = torch.profiler.profile

    def profile(*arguments, **named):
        given = named.get("experimental_config")
        if given is not None and type(given) is not ours._ExperimentalConfig:
            logging.getLogger(__name__).warning(
                "The parameter experimental_config of torch.profiler.profile has been removed by "
                "the tool because it can only be used with CUDA. Please manually modify the code "
                "to use an experimental_config parameter that supports NPU."
            )
            del named["experimental_config"]
        return stock(*arguments, **named)

    torch.profiler.profile = profile


def _activities(activity):
    return types.SimpleNamespace(CPU=activity.CPU, NPU=activity.NPU, CUDA=activity.NPU)


def _proxies():
    _proxy_of_generators()
    if hasattr(torch, "Event"):
        _proxy_of_events()


def _proxy_of_generators():
    generator = torch.Generator

    class _Kind(type(generator)):
        def __instancecheck__(cls, instance):
            return isinstance(instance, cls.__mro__[1])

    class Generator(generator, metaclass=_Kind):
        """torch.Generator that accepts "cuda" for "npu"."""

        def __new__(cls, device="cpu"):
            return generator(_rewriting.positional(device))

    torch.Generator = Generator


def _proxy_of_events():
    event = torch.Event

    class _EventKind(type(event)):
        def __instancecheck__(cls, instance):
            return isinstance(instance, event)

    class Event(event, metaclass=_EventKind):
        """torch.Event that accepts "cuda" for "npu"."""

        def __new__(cls, *arguments, **named):
            return _rewriting.devices(event)(*arguments, **named)

    torch.Event = Event


def _tensors_and_modules():
    _wrap(torch, _FACTORIES)
    _wrap(torch.Tensor, _TENSOR_METHODS)
    _wrap(torch.nn.Module, _MODULE_METHODS)
    torch.Tensor.cuda = torch.Tensor.npu
    torch.Tensor.is_cuda = torch.Tensor.is_npu
    torch.nn.Module.cuda = torch.nn.Module.npu
    torch.UntypedStorage.__new__ = _rewriting.devices(torch.UntypedStorage.__new__)
    torch.amp.autocast_mode.autocast.__init__ = _rewriting.devices(
        torch.amp.autocast_mode.autocast.__init__
    )
    torch.utils._device.DeviceContext.__init__ = _rewriting.devices(
        torch.utils._device.DeviceContext.__init__
    )
    _wrap(torch.fft, ["fftfreq", "rfftfreq"])
    for at, method in enumerate(UninitializedTensorMixin._allowed_methods):
        if method.__name__ == "to":
            UninitializedTensorMixin._allowed_methods[at] = torch.Tensor.to


def _distributed():
    dist = torch.distributed
    if not dist.is_available():
        return
    from torch.distributed import distributed_c10d
    from torch.nn.parallel import DistributedDataParallel

    rewritten = _rewriting.backends(_rewriting.devices(dist.init_process_group))
    dist.init_process_group = rewritten
    dist.is_nccl_available = dist.is_hccl_available
    _wrap(dist.ProcessGroup, ["_get_backend"])
    _wrap(DistributedDataParallel, ["__init__"])
    after_import(
        "torch.distributed.fsdp.fully_sharded_data_parallel",
        lambda module: _wrap(module.FullyShardedDataParallel, ["__init__"]),
    )
    dist.Backend.default_device_backend_map.pop("cuda", None)
    distributed_c10d._new_group_with_tag = _rewriting.backends(distributed_c10d._new_group_with_tag)
    dist.ProcessGroupNCCL = torch_npu._C._distributed_c10d.ProcessGroupHCCL
    distributed_c10d.ProcessGroupNCCL = dist.ProcessGroupNCCL
    if importlib.util.find_spec("torch.distributed.device_mesh"):  # torch 2.2 and newer
        _meshes()
    _pipelines()


def _meshes():
    from torch.distributed import device_mesh

    _wrap(device_mesh.DeviceMesh, ["__init__"])
    device_mesh.init_device_mesh = _rewriting.devices(device_mesh.init_device_mesh)
    torch.distributed.init_device_mesh = device_mesh.init_device_mesh


def _pipelines():
    stage = sys.modules.get("torch.distributed.pipelining.stage")
    if stage is not None:
        stage.PipelineStage.__init__ = _rewriting.devices(stage.PipelineStage.__init__)
        _wrap(stage, ["build_stage"])


def _compilers():
    warnings.warn(
        "torch.jit.script and torch.jit.script_method will be disabled by transfer_to_npu, which "
        "currently does not support them. If you need to enable them, please do not use "
        "transfer_to_npu.",
        RuntimeWarning,
        stacklevel=2,
    )
    torch.jit.script = lambda obj, *arguments, **named: obj
    torch.jit.script_method = lambda function: function
    if importlib.util.find_spec("torch.utils._triton"):
        from torch.utils import _triton

        _triton.has_triton = lambda: False
    _wrap(torch.utils.cpp_extension, ["include_paths"])


_warn_once_a_job()
_cuda_namespace()
_profiler()
_tensors_and_modules()
_proxies()
_distributed()
_compilers()
_unpatched_cuda.install(_genuine_is_available)
