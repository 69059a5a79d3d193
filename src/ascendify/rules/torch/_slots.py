"""Where PyTorch takes the name of a device: parameters of functions, classes and methods.

From the signatures of PyTorch 2.13 and of the libraries built on it. A parameter stands with its
place among the positional ones, or None where it can only be given by name.
"""

from __future__ import annotations

import re

DEVICE: dict[str, dict[str, int | None]] = {
    "torch.device": {"type": 0, "device": 0},
    "torch.set_default_device": {"device": 0},
    "torch.get_device_module": {"device": 0},
    "torch.Generator": {"device": 0},
    "torch.Event": {"device": 0},
    "torch.Stream": {"device": 0},
    "torch.autocast": {"device_type": 0},
    "torch.amp.autocast": {"device_type": 0},
    "torch.amp.autocast_mode.autocast": {"device_type": 0},
    "torch.amp.GradScaler": {"device": 0},
    "torch.amp.grad_scaler.GradScaler": {"device": 0},
    "torch.GradScaler": {"device": 0},
    "torch.amp.custom_fwd": {"device_type": None},
    "torch.amp.custom_bwd": {"device_type": None},
    "torch.amp.is_autocast_available": {"device_type": 0},
    "torch.get_autocast_dtype": {"device_type": 0},
    "torch.set_autocast_dtype": {"device_type": 0},
    "torch.is_autocast_enabled": {"device_type": 0},
    "torch.set_autocast_enabled": {"device_type": 0},
    "torch.distributed.init_device_mesh": {"device_type": 0},
    "torch.distributed.device_mesh.init_device_mesh": {"device_type": 0},
    "torch.distributed.DeviceMesh": {"device_type": 0},
    "torch.distributed.device_mesh.DeviceMesh": {"device_type": 0},
    "torch.distributed.init_process_group": {"device_id": None},
    "torch.distributed.fsdp.FullyShardedDataParallel": {"device_id": None},
    "torch.nn.parallel.DistributedDataParallel": {"device_ids": 1, "output_device": 2},
    "torch.nn.DataParallel": {"device_ids": 1, "output_device": 2},
    "torch.nn.parallel.DataParallel": {"device_ids": 1, "output_device": 2},
    "torch.nn.parallel.data_parallel": {"device_ids": 2, "output_device": 3},
    "torch.nn.parallel.replicate": {"devices": 1},
    "torch.nn.parallel.scatter": {"target_gpus": 1},
    "torch.nn.parallel.gather": {"target_device": 1},
    "torch.load": {"map_location": 1},
    "torch.jit.load": {"map_location": 1},
    "torch.hub.load_state_dict_from_url": {"map_location": 2},
    "torch.utils.model_zoo.load_url": {"map_location": 2},
    "torch.utils.data.DataLoader": {"pin_memory_device": None},
    "torch.as_tensor": {"device": 2},
    "torch.random.fork_rng": {"device_type": None},
    "torch.optim.swa_utils.AveragedModel": {"device": 1},
    "torch.Tensor.to": {"device": 0},
    "torch.Tensor.cuda": {"device": 0},
    "torch.Tensor.npu": {"device": 0},
    "torch.Tensor.pin_memory": {"device": 0},
    "torch.Tensor.is_pinned": {"device": 0},
    "torch.nn.Module.to": {"device": 0},
    "torch.nn.Module.cuda": {"device": 0},
    "torch.nn.Module.npu": {"device": 0},
    "torch.UntypedStorage.cuda": {"device": 0},
    "torch.TypedStorage.cuda": {"device": 0},
    "torch.nn.utils.rnn.PackedSequence.to": {"device": 0},
    "torch.nn.utils.rnn.PackedSequence.cuda": {"device": 0},
}
"""Functions, classes and methods by canonical name."""

NAMED = ("device", "device_type", "map_location", "device_ids", "pin_memory_device")
"""Parameters that mean a device wherever PyTorch has one of the name."""

CUDA_FUNCTIONS = frozenset(
    ["set_device", "device", "synchronize", "current_stream", "default_stream", "get_device_name",
     "get_device_properties", "get_device_capability", "empty_cache", "memory_allocated",
     "max_memory_allocated", "memory_reserved", "max_memory_reserved", "memory_cached",
     "max_memory_cached", "reset_peak_memory_stats", "reset_max_memory_allocated",
     "reset_max_memory_cached", "memory_stats", "memory_summary", "memory_snapshot",
     "mem_get_info", "get_rng_state", "utilization", "temperature", "Stream",
     "set_per_process_memory_fraction", "get_arch_list", "list_gpu_processes", "stream"]
)  # fmt: skip
"""Functions of torch.cuda and torch.npu whose first parameter, or the one named so, is a device."""
_SECOND = frozenset({"set_per_process_memory_fraction", "set_rng_state", "can_device_access_peer"})
"""Those where it is the second."""

METHODS: dict[str, dict[str, int | None]] = {
    "to": {"device": 0},
    "cuda": {"device": 0},
    "npu": {"device": 0},
    "to_empty": {"device": None},
    "pin_memory": {"device": 0},
    "new_zeros": {"device": None},
    "new_ones": {"device": None},
    "new_empty": {"device": None},
    "new_full": {"device": None},
    "new_tensor": {"device": None},
    "set_default_device": {"device": 0},
}
"""Methods that take a device and that nothing but PyTorch's objects, or what wraps them, has."""

TORCH_LIBRARIES = frozenset(
    ["torch", "torchvision", "torchaudio", "torchtext", "transformers", "accelerate", "diffusers",
     "timm", "peft", "pytorch_lightning", "lightning", "torchmetrics", "deepspeed",
     "sentence_transformers", "open_clip", "clip", "segment_anything", "kornia", "ultralytics",
     "fairseq", "mmcv", "mmengine", "mmdet", "mmseg", "detectron2", "monai", "torch_geometric",
     "dgl", "stable_baselines3", "pyro", "gpytorch", "botorch", "ignite", "fvcore", "thop",
     "torchsummary", "torchinfo", "ptflops", "whisper", "lpips", "pytorch_msssim", "safetensors",
     "trl"]
)  # fmt: skip
"""Packages whose ``device=`` is one of PyTorch's devices."""

FOREIGN = frozenset(
    ["cupy", "cupyx", "numba", "jax", "jaxlib", "tensorflow", "mxnet", "paddle", "onnxruntime",
     "tensorrt", "faiss", "cudf", "cuml", "pycuda", "warp", "taichi", "nvidia"]
)  # fmt: skip
"""Packages that have devices of their own; a name such as ``device=`` says nothing there."""

_DEVICE_WORD = re.compile(r"(?:^|[^a-z])(?:dev|devs|device|devices|map_?location)(?:[^a-z]|$)")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def says_device(name: str) -> bool:
    """Whether a name of the user's speaks of a device, as ``eval_device`` does."""
    return bool(_DEVICE_WORD.search(_CAMEL.sub("_", name).lower()))


def parameters(name: str) -> dict[str, int | None] | None:
    """The parameters of a canonical name that take a device, None when nothing is known of it."""
    found = DEVICE.get(name)
    if found is not None:
        return found
    for module in ("torch.cuda.", "torch.npu.", "torch_npu.npu."):
        if name.startswith(module):
            function = name[len(module) :].rpartition(".")[2]
            if function in _SECOND:
                return {"device": 1}
            return {"device": 0 if function in CUDA_FUNCTIONS else None}
    return None


def takes(name: str, parameter: str | None, place: int | None) -> bool:
    """Whether an argument of a call of a canonical name is a device."""
    known = parameters(name)
    if known is not None:
        if parameter is not None:
            return parameter in known or _is_torch(name, parameter)
        return place is not None and place in known.values()
    return parameter is not None and _is_torch(name, parameter)


def _is_torch(name: str, parameter: str) -> bool:
    return name.partition(".")[0] in ("torch", "torch_npu") and parameter in NAMED
