"""The device that a rank trains on: a CPU, an NVIDIA GPU, an Ascend NPU, or an emulated one."""

from __future__ import annotations

import contextlib
import ctypes
import importlib.util
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

import psutil  # type: ignore[import-untyped]
import torch
from accelerate import Accelerator  # type: ignore[import-untyped]
from accelerate.state import (  # type: ignore[import-untyped]
    AcceleratorState,
    PartialState,
)
from accelerate.utils import gather_object  # type: ignore[import-untyped]
from torch import Tensor

from ascendify.emulation.environment import DEFAULT_SOC
from ascendify.emulation.paths import PACKAGES, STARTUP
from ascendify.errors import UsageError
from ascendify.zoo.config import DeviceName, Precision
from ascendify.zoo.cores import own_cores, ranks_here

T = TypeVar("T")

NAMES: tuple[str, ...] = get_args(DeviceName)
_TYPES = {"cpu": "cpu", "cuda": "cuda", "npu": "npu", "emulated-npu": "npu"}
_COLLECTIVES = ("gloo", "nccl", "hccl")
"""Collective libraries; their error messages contain these names."""
_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True)
class TrainingDevice:
    """The device of this process, which is one rank of the job."""

    name: str
    """As on the command line, never ``auto``."""
    accelerator: Accelerator

    @property
    def torch(self) -> torch.device:
        """The torch device for tensors."""
        return torch.device(self.accelerator.device)

    @property
    def rank(self) -> int:
        """The rank of this process."""
        return int(self.accelerator.process_index)

    @property
    def world(self) -> int:
        """The number of ranks."""
        return int(self.accelerator.num_processes)

    @property
    def title(self) -> str:
        """The name of the device in results."""
        if self.name == "cuda":
            return torch.cuda.get_device_name(self.torch)
        if self.name == "npu":
            return str(_npu().get_device_name(self.torch))
        return self.name

    def gather(self, value: T) -> list[T]:
        """Collect a value from every rank; all ranks must call this."""
        return list(gather_object([value]))

    def broadcast(self, tensors: Iterable[Tensor]) -> None:
        """Copy the first rank's tensors to every rank; all ranks must call this."""
        if self.world > 1:
            for tensor in tensors:
                torch.distributed.broadcast(tensor, 0)

    def raise_if_other_rank_failed(self, error: RuntimeError) -> None:
        """Raise a clear error if a failed collective shows that another rank has exited.

        Raises:
            UsageError: another rank failed, not this one.
        """
        message = str(error)
        if self.world > 1 and any(each in message.lower() for each in _COLLECTIVES):
            # drop PyTorch's source position at the start and its advice at the end
            reason = re.sub(r"^\[\S+\] ", "", message).partition(". ")[0]
            raise UsageError(
                f"rank {self.rank} has lost another rank: {reason}",
                "the output of the rank that exited first says why",
            ) from error

    def finish(self) -> None:
        """Wait for the other ranks and end the collective group."""
        if _is_gloo():
            self.accelerator.wait_for_everyone()
        else:
            self.accelerator.end_training()

    def autocast(self, precision: Precision) -> contextlib.AbstractContextManager[Any]:
        """Return a context for forward passes in the given precision."""
        if precision == "fp32":
            return contextlib.nullcontext()
        return torch.autocast(self.torch.type, dtype=_DTYPES[precision])

    def synchronise(self) -> None:
        """Wait until the device has finished all queued work; needed before time is measured."""
        if self.torch.type == "cuda":
            torch.cuda.synchronize(self.torch)
        elif self.torch.type == "npu":
            _npu().synchronize()

    def free_bytes(self) -> int:
        """Return the free memory for data."""
        if self.torch.type == "cuda":
            return torch.cuda.mem_get_info(self.torch)[0]
        if self.name == "npu":
            return int(_npu().mem_get_info()[0])
        return int(psutil.virtual_memory().available) // ranks_here()


def open_device(name: str = "auto") -> TrainingDevice:
    """Open the device of this process; the environment says which rank it is.

    Raises:
        UsageError: there is no such device.
    """
    if name not in NAMES:
        raise UsageError(f"unknown device {name}", f"it is one of {', '.join(NAMES)}")
    if name == "auto":
        name = _best_device()
    _CHECKS[name]()
    if name == "cpu":
        _share_cores()
    # accelerate keeps one device per process; a second run in this process may need another
    if PartialState._shared_state:
        AcceleratorState._reset_state(reset_partial_state=True)
    accelerator = Accelerator(cpu=name == "cpu", mixed_precision="no")
    if accelerator.device.type != _TYPES[name]:
        raise UsageError(
            f"--device {name} was requested, but accelerate chose {accelerator.device}",
            "unset the variables ACCELERATE_USE_CPU and ACCELERATE_TORCH_DEVICE",
        )
    if _is_gloo():
        # see exit_rank: keep the group alive, even when the distributed model is released
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(torch.distributed.group.WORLD))
    return TrainingDevice(name, accelerator)


def exit_rank(code: int) -> None:
    """Exit this process at once if it is a rank that uses gloo; otherwise do nothing.

    gloo's threads release the tensors of their last collective late, and need Python's lock for it.
    If Python is shutting down by then, C++ aborts the process: a rank that had finished and saved
    could fail the whole job, and an interrupted one exited with a wrong status. So the collective
    group is never destroyed, and the process exits without Python's shutdown.
    """
    if _is_gloo():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _is_gloo() -> bool:
    """Whether the ranks use gloo, which also carries the emulated NPU's collectives."""
    ranks = torch.distributed
    if not (ranks.is_available() and ranks.is_initialized()):
        return False
    return ranks.get_backend() == "gloo" or _is_emulated()


def _best_device() -> str:
    with contextlib.suppress(UsageError):
        _check_npu()
        return "emulated-npu" if _is_emulated() else "npu"
    return "cuda" if torch.cuda.is_available() else "cpu"


def _npu() -> Any:
    """Return ``torch.npu``, which importing torch_npu creates."""
    return torch.npu  # type: ignore[attr-defined]


def _npu_available() -> bool:
    try:
        importlib.import_module("torch_npu")
    except Exception as error:
        raise UsageError(
            f"torch_npu cannot be imported: {type(error).__name__}: {error}",
            "source the set_env.sh of CANN; ascendify doctor examines more",
        ) from error
    return bool(_npu().is_available())


def _is_emulated() -> bool:
    """Whether the torch_npu of this process is the stand-in."""
    found = getattr(sys.modules.get("torch_npu"), "__file__", None) or ""
    return found.startswith(str(PACKAGES))


def _check_cpu() -> None:
    """Do nothing: every machine has a CPU."""


def _check_cuda() -> None:
    if torch.cuda.is_available():
        return
    if torch.version.cuda is None:
        raise UsageError(
            f"PyTorch {torch.__version__} here is built without CUDA",
            "install one with CUDA, or --device cpu",
        )
    raise UsageError("PyTorch finds no CUDA GPU", "see the output of nvidia-smi, or --device cpu")


def _check_npu() -> None:
    if importlib.util.find_spec("torch_npu") is None:
        raise UsageError(
            "torch_npu is not installed, so there is no NPU for PyTorch",
            "pip install torch-npu on a machine with CANN, or --device emulated-npu",
        )
    if not _npu_available():
        raise UsageError("torch_npu finds no NPU", "see the output of npu-smi info")


def _check_emulated_npu() -> None:
    """Put the stand-in packages on this process's path, as ``ascendify run`` does for its ranks."""
    if "torch_npu" in sys.modules and not _is_emulated():
        raise UsageError("the real torch_npu is imported already", "--device npu")
    for folder in (PACKAGES, STARTUP):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    # an NPU machine has no GPU; the stand-in reads which hardware it emulates
    os.environ["CUDA_VISIBLE_DEVICES"] = "-1"
    os.environ.setdefault("ASCENDIFY_SOC", DEFAULT_SOC)
    os.environ.setdefault("ASCENDIFY_DEVICES", str(ranks_here()))
    _npu_available()


_CHECKS = {
    "cpu": _check_cpu,
    "cuda": _check_cuda,
    "npu": _check_npu,
    "emulated-npu": _check_emulated_npu,
}


def _share_cores() -> None:
    """Divide the cores among the ranks of this machine, unless OMP_NUM_THREADS is set."""
    if ranks_here() > 1 and "OMP_NUM_THREADS" not in os.environ:
        os.environ["OMP_NUM_THREADS"] = str(own_cores())
        torch.set_num_threads(own_cores())
