"""The real GPU of this machine, for originals that are to run on it (``--original-on gpu``)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.processes.commands import BESIDE_PYTHON, read_python, run_program

CPU, GPU = "cpu", "gpu"
PLACES = (CPU, GPU)
"""Where an original can run: on the CPU with a pretended GPU, or on the GPU of this machine."""
ENVIRONMENT = {
    # cuBLAS repeats its results only with a workspace of fixed size
    "CUBLAS_WORKSPACE_CONFIG": ":4096:8",
    # float32 is computed as float32, whatever the program sets: the CPU has no TF32
    "NVIDIA_TF32_OVERRIDE": "0",
    "ASCENDIFY_REAL_GPU": "1",
}
"""Variables that make a run on a GPU comparable with one on a CPU."""
_OTHERWISE = "leave --original-on gpu out, and a GPU is pretended on the CPU"
_FIND_GPUS = """
import importlib.util, json

def torch_finds():
    import torch
    built = torch.version.cuda or getattr(torch.version, "hip", None) or ""
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    names = [torch.cuda.get_device_name(index) for index in range(count)]
    return {"framework": "PyTorch " + torch.__version__, "built": built, "gpus": names}

def tensorflow_finds():
    import tensorflow
    with_rocm = getattr(tensorflow.test, "is_built_with_rocm", bool)()
    built = "CUDA" if tensorflow.test.is_built_with_cuda() else "ROCm" if with_rocm else ""
    devices = tensorflow.config.experimental.list_physical_devices("GPU")
    names = [device.name for device in devices]
    return {"framework": "TensorFlow " + tensorflow.__version__, "built": built, "gpus": names}

found = []
for name, find in (("torch", torch_finds), ("tensorflow", tensorflow_finds)):
    if importlib.util.find_spec(name) is not None and not any(one["gpus"] for one in found):
        found.append(find())
none = {"framework": "", "built": "", "gpus": []}
best = max(found, key=lambda one: (bool(one["gpus"]), bool(one["built"])), default=none)
print(json.dumps(best))
"""
"""A program that finds GPUs with PyTorch, or with TensorFlow where PyTorch finds none."""
_PATIENCE_SECONDS = 120.0
_DRIVERS = (("nvidia-smi", "-L"), ("rocm-smi", "--showid"))
"""Programs that list GPUs, in lines that begin with ``GPU``."""
_VISIBLE = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")


@dataclass(frozen=True)
class Gpus:
    """The GPUs that the interpreter of an original finds."""

    framework: str = ""
    """Such as ``PyTorch 2.13.0+cu130``; empty where it has neither framework."""
    built: str = ""
    """The CUDA or ROCm release it was built with; empty for a build that knows no GPU."""
    names: tuple[str, ...] = ()


def check(command: Sequence[str], project: Path, devices: int) -> str:
    """Describe the GPU an original would run on; empty if that is known only when it runs.

    Raises:
        UsageError: there is no GPU for it, or there are fewer than it has ranks.
    """
    python = interpreter_of(command, project)
    if python is None:
        if not list_gpus().startswith("GPU"):
            raise UsageError(f"--original-on gpu: {_no_gpu()}", _OTHERWISE)
        return ""
    found = query(python, project)
    problem = _problem(found, python)
    if problem:
        raise UsageError(f"--original-on gpu: {problem}", _OTHERWISE)
    if devices > len(found.names):
        raise UsageError(
            f"--original-on gpu with {devices} ranks: this machine has "
            f"{len(found.names)} GPU{'s' * (len(found.names) > 1)}, and every rank needs its own",
            f"give --devices {len(found.names)} and a command of as many ranks; or {_OTHERWISE}",
        )
    return found.names[0]


def _problem(found: Gpus, python: str) -> str:
    if not found.framework:
        return f"{python} has neither PyTorch nor TensorFlow"
    if not found.built:
        return f"{found.framework} of {python} is built without CUDA"
    if not found.names:
        return f"{found.framework} of {python} finds no GPU: {_no_gpu()}"
    return ""


def _no_gpu() -> str:
    """Say why no GPU is found: what the drivers print, and variables that hide GPUs."""
    chosen = [f"{name} is {os.environ[name]!r}" for name in _VISIBLE if name in os.environ]
    return "; ".join([list_gpus(), *chosen])


def list_gpus() -> str:
    """The line in which a program of the driver lists a GPU, else why it lists none."""
    installed = [(shutil.which(name), option) for name, option in _DRIVERS]
    answers = [
        _run_driver_program(program, option) for program, option in installed if program is not None
    ]
    with_gpu = [text for text in answers if text.startswith("GPU")]
    names = " nor ".join(name for name, _ in _DRIVERS)
    return next(iter([*with_gpu, *answers]), f"neither {names} is installed")


def _run_driver_program(program: str, option: str) -> str:
    """The line of a program's answer that names a GPU, else its first one."""
    name = Path(program).name
    try:
        answer = run_program((program, option), timeout=_PATIENCE_SECONDS)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{name} does not answer ({error})"
    lines = (answer.stdout + answer.stderr).strip().splitlines()
    named = [line for line in lines if line.startswith("GPU")]
    return next(iter([*named, *lines]), f"{name} {option} lists no GPU")


def query(python: str, project: Path) -> Gpus:
    """Run a program in an interpreter that reports its framework and the GPUs it finds.

    Raises:
        UsageError: it does not answer; the message has its last line.
    """
    # an installed torch_npu would be imported with torch, and fail without an NPU
    quiet = {"TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "TF_CPP_MIN_LOG_LEVEL": "3"}
    try:
        answer = run_program(
            (python, "-W", "ignore", "-c", _FIND_GPUS),
            project,
            {**os.environ, **quiet},
            timeout=_PATIENCE_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(
            f"--original-on gpu: {python} does not answer: {error}", _OTHERWISE
        ) from None
    if answer.returncode != 0:
        last = (answer.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise UsageError(
            f"--original-on gpu: {python} fails when it looks for a GPU: {last}", _OTHERWISE
        )
    found = json.loads(answer.stdout.strip().splitlines()[-1])
    return Gpus(found["framework"], found["built"], tuple(found["gpus"]))


def interpreter_of(command: Sequence[str], project: Path) -> str | None:
    """The Python that a command runs: named, or beside a launcher such as torchrun.

    None for a shell script, whose interpreter only the shell knows.
    """
    program = command[0]
    if read_python(command) is not None:
        return str(project.resolve() / program) if os.sep in program else program
    found = shutil.which(str(project / program) if os.sep in program else program)
    beside = Path(found).parent / "python" if found else None
    return str(beside) if beside is not None and _is_launcher(program, beside) else None


def _is_launcher(program: str, beside: Path) -> bool:
    return Path(program).name in BESIDE_PYTHON and beside.exists()
