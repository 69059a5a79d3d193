"""Where a run happens: a CPU, an NVIDIA GPU, an Ascend NPU, or the emulation of one."""

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
"""What carries the collectives; an error of theirs says so."""
_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}


@dataclass(frozen=True)
class TrainingDevice:
    """A device of this process, which is one rank of the run."""

    name: str
    """As on the command line, never ``auto``."""
    accelerator: Accelerator

    @property
    def torch(self) -> torch.device:
        """What tensors are put on."""
        return torch.device(self.accelerator.device)

    @property
    def rank(self) -> int:
        """Which of the ranks this process is."""
        return int(self.accelerator.process_index)

    @property
    def world(self) -> int:
        """How many ranks there are."""
        return int(self.accelerator.num_processes)

    @property
    def title(self) -> str:
        """What is written down as the device of a result."""
        if self.name == "cuda":
            return torch.cuda.get_device_name(self.torch)
        if self.name == "npu":
            return str(_npu().get_device_name(self.torch))
        return self.name

    def gather(self, value: T) -> list[T]:
        """The value of every rank; all must come here."""
        return list(gather_object([value]))

    def broadcast(self, tensors: Iterable[Tensor]) -> None:
        """Give every rank the numbers of the first; all must come here."""
        if self.world > 1:
            for tensor in tensors:
                torch.distributed.broadcast(tensor, 0)

    def raise_if_other_rank_failed(self, error: RuntimeError) -> None:
        """Tell an error that another rank has left behind from one of this rank's own.

        Raises:
            UsageError: it is the other's.
        """
        message = str(error)
        if self.world > 1 and any(each in message.lower() for each in _COLLECTIVES):
            # without the file of PyTorch's that it comes from, and what that advises
            reason = re.sub(r"^\[\S+\] ", "", message).partition(". ")[0]
            raise UsageError(
                f"rank {self.rank} has lost another rank: {reason}",
                "the rank that ended first says why, in its own output",
            ) from error

    def finish(self) -> None:
        """Let go of the other ranks, when all are done."""
        if _is_gloo():
            self.accelerator.wait_for_everyone()
        else:
            self.accelerator.end_training()

    def autocast(self, precision: Precision) -> contextlib.AbstractContextManager[Any]:
        """Forward passes in a lower precision, where one is asked for."""
        if precision == "fp32":
            return contextlib.nullcontext()
        return torch.autocast(self.torch.type, dtype=_DTYPES[precision])

    def synchronise(self) -> None:
        """Wait until the device has done what it was told; before time is taken."""
        if self.torch.type == "cuda":
            torch.cuda.synchronize(self.torch)
        elif self.torch.type == "npu":
            _npu().synchronize()

    def free_bytes(self) -> int:
        """Memory that data may be put in."""
        if self.torch.type == "cuda":
            return torch.cuda.mem_get_info(self.torch)[0]
        if self.name == "npu":
            return int(_npu().mem_get_info()[0])
        return int(psutil.virtual_memory().available) // ranks_here()


def open_device(name: str = "auto") -> TrainingDevice:
    """The device of this process, and its place among the ranks, which the environment tells.

    Raises:
        UsageError: it is not there; says what is.
    """
    if name not in NAMES:
        raise UsageError(f"no device is called {name}", f"it is one of {', '.join(NAMES)}")
    if name == "auto":
        name = _best_device()
    _CHECKS[name]()
    if name == "cpu":
        _share_cores()
    # accelerate keeps one device a process; a second run in it may want another
    if PartialState._shared_state:
        AcceleratorState._reset_state(reset_partial_state=True)
    accelerator = Accelerator(cpu=name == "cpu", mixed_precision="no")
    if accelerator.device.type != _TYPES[name]:
        raise UsageError(
            f"--device {name} was asked for, and accelerate chose {accelerator.device}",
            "unset the variables ACCELERATE_USE_CPU and ACCELERATE_TORCH_DEVICE",
        )
    if _is_gloo():
        # see leave: nothing may end the group, not even the model that was spread over it
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(torch.distributed.group.WORLD))
    return TrainingDevice(name, accelerator)


def exit_rank(code: int) -> None:
    """End this process, a rank that has done its work or failed, where Python cannot be trusted to.

    gloo's threads drop the tensors of their last work after the program that waited for it goes on,
    and need Python's lock for it. Where Python is ending by then, C++ aborts the process: now and
    then a rank on a CPU whose work was done and saved took the job down, and one that was
    interrupted ended with another code. So it keeps its group, and leaves without taking anything
    down.
    """
    if _is_gloo():
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _is_gloo() -> bool:
    """Whether ranks talk through gloo, which carries the emulated NPU's collectives too."""
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
    """``torch.npu``, which importing torch_npu has put there."""
    return torch.npu  # type: ignore[attr-defined]


def _npu_available() -> bool:
    try:
        importlib.import_module("torch_npu")
    except Exception as error:
        raise UsageError(
            f"torch_npu cannot be imported: {type(error).__name__}: {error}",
            "source the set_env.sh of CANN; ascendify doctor looks further",
        ) from error
    return bool(_npu().is_available())


def _is_emulated() -> bool:
    """Whether the torch_npu of this process is the stand-in."""
    found = getattr(sys.modules.get("torch_npu"), "__file__", None) or ""
    return found.startswith(str(PACKAGES))


def _check_cpu() -> None:
    """There is always one."""


def _check_cuda() -> None:
    if torch.cuda.is_available():
        return
    if torch.version.cuda is None:
        raise UsageError(
            f"PyTorch {torch.__version__} here is built without CUDA",
            "install one with CUDA, or --device cpu",
        )
    raise UsageError("PyTorch finds no CUDA GPU", "look what nvidia-smi says, or --device cpu")


def _check_npu() -> None:
    if importlib.util.find_spec("torch_npu") is None:
        raise UsageError(
            "torch_npu is not installed, so there is no NPU for PyTorch",
            "pip install torch-npu on a machine with CANN, or --device emulated-npu",
        )
    if not _npu_available():
        raise UsageError("torch_npu finds no NPU", "look what npu-smi info says")


def _check_emulated_npu() -> None:
    """Lead this process to the stand-ins, as ``ascendify run`` leads the ones it starts."""
    if "torch_npu" in sys.modules and not _is_emulated():
        raise UsageError("the real torch_npu is imported already", "--device npu")
    for folder in (PACKAGES, STARTUP):
        if str(folder) not in sys.path:
            sys.path.insert(0, str(folder))
    # an NPU machine has no GPU, and the stand-in says what hardware it stands for
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
    """Several ranks on one CPU take its cores between them, where nobody has said how many."""
    if ranks_here() > 1 and "OMP_NUM_THREADS" not in os.environ:
        os.environ["OMP_NUM_THREADS"] = str(own_cores())
        torch.set_num_threads(own_cores())
