"""The real GPU of this machine, for originals that are to run on it (``--original-on gpu``)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.processes.commands import read_python

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
"""What makes a run on a GPU comparable with one on a CPU."""
_OTHERWISE = "leave --original-on gpu out, and a GPU is pretended on the CPU"
_ASK = """
import importlib.util, json
told = {"framework": "", "built": "", "gpus": []}
if importlib.util.find_spec("torch") is not None:
    import torch
    told["framework"] = "PyTorch " + torch.__version__
    told["built"] = torch.version.cuda or getattr(torch.version, "hip", None) or ""
    if torch.cuda.is_available():
        count = torch.cuda.device_count()
        told["gpus"] = [torch.cuda.get_device_name(index) for index in range(count)]
elif importlib.util.find_spec("tensorflow") is not None:
    import tensorflow
    told["framework"] = "TensorFlow " + tensorflow.__version__
    told["built"] = "CUDA" if tensorflow.test.is_built_with_cuda() else ""
    devices = tensorflow.config.experimental.list_physical_devices("GPU")
    told["gpus"] = [device.name for device in devices]
print(json.dumps(told))
"""
_LAUNCHERS = ("torchrun", "accelerate", "accelerate-launch", "deepspeed", "horovodrun")
"""Programs that lie beside the Python they run."""
_PATIENCE_SECONDS = 120.0
_DRIVER = "nvidia-smi"


@dataclass(frozen=True)
class Gpus:
    """What the interpreter of an original finds."""

    framework: str = ""
    """Such as ``PyTorch 2.13.0+cu130``; empty where it has neither framework."""
    built: str = ""
    """The CUDA or ROCm release it was built with; empty for a build that knows no GPU."""
    names: tuple[str, ...] = ()


def check(command: Sequence[str], project: Path, devices: int) -> str:
    """The GPU an original would run on, in words; empty where only a run can tell.

    Raises:
        UsageError: there is no GPU for it, or there are fewer than it has ranks.
    """
    python = interpreter_of(command, project)
    if python is None:
        if not driver_says().startswith("GPU"):
            raise UsageError(f"--original-on gpu: {_no_gpu()}", _OTHERWISE)
        return ""
    found = ask(python, project)
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
    """Why no GPU is found, as far as this machine tells."""
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    chosen = "" if visible is None else f"; CUDA_VISIBLE_DEVICES is {visible!r}"
    return f"{driver_says()}{chosen}"


def driver_says() -> str:
    """What nvidia-smi answers to the question for GPUs, in one line."""
    program = shutil.which(_DRIVER)
    if program is None:
        return f"{_DRIVER} is not installed"
    try:
        answer = subprocess.run(  # noqa: S603 (found on the user's PATH)
            (program, "-L"),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        return f"{_DRIVER} does not answer ({error})"
    lines = (answer.stdout + answer.stderr).strip().splitlines()
    return lines[0] if lines else f"{_DRIVER} -L lists no GPU"


def ask(python: str, project: Path, environment: Mapping[str, str] = os.environ) -> Gpus:
    """Ask an interpreter for its framework and the GPUs that it finds.

    Raises:
        UsageError: it does not answer; the message has its last line.
    """
    try:
        answer = subprocess.run(  # noqa: S603 (the user's own interpreter)
            (python, "-W", "ignore", "-c", _ASK),
            cwd=project,
            # an installed torch_npu would be imported with torch, and fail without an NPU
            env={**environment, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", "TF_CPP_MIN_LOG_LEVEL": "3"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_PATIENCE_SECONDS,
            check=False,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(
            f"--original-on gpu: {python} does not answer: {error}", _OTHERWISE
        ) from None
    if answer.returncode != 0:
        last = (answer.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise UsageError(
            f"--original-on gpu: {python} cannot be asked for a GPU: {last}", _OTHERWISE
        )
    told = json.loads(answer.stdout.strip().splitlines()[-1])
    return Gpus(told["framework"], told["built"], tuple(told["gpus"]))


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
    return Path(program).name in _LAUNCHERS and beside.exists()
