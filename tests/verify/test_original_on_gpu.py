"""``verify --original-on gpu``: what is refused, what is allowed, and what draws random numbers.

The tests that need a GPU are skipped where PyTorch finds none.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ascendify.emulation.paths import PACKAGES, STARTUP
from ascendify.errors import UsageError
from ascendify.processes import Outcome
from ascendify.verify import gpu, verify
from ascendify.verify.captured import Capture, Point, Series, read
from ascendify.verify.judge import VerifyResult, judge
from ascendify.verify.request import VerifyRequest
from ascendify.verify.request import check as check_request
from ascendify.verify.sides import ORIGINAL, Side, run
from ascendify.verify.tolerance import Tolerance
from support.commands import ascendify
from support.interpreters import TORCH_INTERPRETER, user_environment
from support.verified_torch_examples import VERIFIED, migrated, original, request

SCRIPTS = Path(__file__).parent / "scripts"


def pretend(folder: Path, name: str, answer: str) -> Path:
    """A program that prints something, whatever its arguments."""
    folder.mkdir(exist_ok=True)
    program = folder / name
    program.write_text(f"#!/bin/sh\necho '{answer}'\n")
    program.chmod(0o755)
    return program


def framework(name: str, built: str, *names: str) -> str:
    return json.dumps({"framework": name, "built": built, "gpus": names})


TORCH = "PyTorch 2.13.0"
REFUSED = {
    "no-framework": (framework("", ""), 1, "has neither PyTorch nor TensorFlow"),
    "built-without-cuda": (framework(TORCH, ""), 1, "python is built without CUDA"),
    "no-gpu": (
        framework(TORCH, "13.0"),
        1,
        "python finds no GPU: neither nvidia-smi nor rocm-smi is installed",
    ),
    "fewer-gpus-than-ranks": (
        framework(TORCH, "13.0", "H200"),
        2,
        "2 ranks: this machine has 1 GPU, and every rank needs its own",
    ),
    "no-answer": ("' >&2; exit 1; '", 1, "fails when it looks for a GPU"),
}


@pytest.mark.parametrize(("answer", "devices", "sentence"), REFUSED.values(), ids=REFUSED)
def test_no_gpu_for_the_original_is_an_error_of_usage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, devices: int, sentence: str
) -> None:
    python = pretend(tmp_path / "venv", "python", answer)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setattr(shutil, "which", lambda *_, **__: None)
    with pytest.raises(UsageError) as refused:
        gpu.check((str(python), "train.py"), tmp_path, devices)
    assert sentence in refused.value.message
    assert "leave --original-on gpu out" in refused.value.hint


def test_the_gpu_is_named(tmp_path: Path) -> None:
    python = pretend(tmp_path / "venv", "python", framework(TORCH, "13.0", "NVIDIA H200"))
    assert gpu.check((str(python), "train.py"), tmp_path, 1) == "NVIDIA H200"


PYTORCH = """
__version__ = "2.13.0"
class version:
    cuda, hip = {built!r}, None
class cuda:
    is_available = staticmethod(lambda: bool({names!r}))
    device_count = staticmethod(lambda: len({names!r}))
    get_device_name = staticmethod({names!r}.__getitem__)
"""
TENSORFLOW = """
__version__ = "2.15.1"
class test:
    is_built_with_cuda = staticmethod(lambda: bool({built!r}))
class config:
    class experimental:
        @staticmethod
        def list_physical_devices(kind):
            return [type("Device", (), dict(name=name)) for name in {names!r}]
"""
FOUND = {
    "neither": (None, None, ("", "", ())),
    "torch": (("13.0", ["H200"]), None, ("PyTorch 2.13.0", "13.0", ("H200",))),
    "torch-finds-one-first": (
        ("13.0", ["H200"]),
        ("CUDA", ["GPU:0"]),
        ("PyTorch 2.13.0", "13.0", ("H200",)),
    ),
    "tensorflow": (None, ("CUDA", ["GPU:0"]), ("TensorFlow 2.15.1", "CUDA", ("GPU:0",))),
    "tensorflow-beside-torch-for-cpus": (
        ("", []),
        ("CUDA", ["GPU:0"]),
        ("TensorFlow 2.15.1", "CUDA", ("GPU:0",)),
    ),
    "tensorflow-beside-torch-without-a-gpu": (
        ("13.0", []),
        ("CUDA", ["GPU:0"]),
        ("TensorFlow 2.15.1", "CUDA", ("GPU:0",)),
    ),
    "none-finds-one": (("13.0", []), ("CUDA", []), ("PyTorch 2.13.0", "13.0", ())),
    "none-is-built-for-one": (("", []), ("", []), ("PyTorch 2.13.0", "", ())),
}


@pytest.mark.parametrize(("torch", "tensorflow", "found"), FOUND.values(), ids=FOUND)
def test_both_frameworks_are_queried(
    bare_python: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    torch: tuple[str, list[str]] | None,
    tensorflow: tuple[str, list[str]] | None,
    found: tuple[str, str, tuple[str, ...]],
) -> None:
    for name, text, answer in (("torch", PYTORCH, torch), ("tensorflow", TENSORFLOW, tensorflow)):
        if answer is not None:
            built, names = answer
            (tmp_path / f"{name}.py").write_text(text.format(built=built, names=names))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    assert gpu.query(bare_python, tmp_path) == gpu.Gpus(*found)


ROCM = "======= ROCm System Management Interface =======\n"
DRIVERS = {
    "nvidia": ({"nvidia-smi": "GPU 0: NVIDIA H200 (UUID: GPU-1)"}, ""),
    "nvidia-without-one": ({"nvidia-smi": "No devices were found"}, "No devices were found"),
    "amd": ({"rocm-smi": f"{ROCM}GPU[0] : Device ID: 0x740f"}, ""),
    "amd-without-one": ({"rocm-smi": "WARNING: No AMD GPUs specified"}, "WARNING: No AMD GPUs"),
    "both": ({"nvidia-smi": "No devices were found", "rocm-smi": f"{ROCM}GPU[0] : ID: 1"}, ""),
    "neither": ({}, "neither nvidia-smi nor rocm-smi is installed"),
}


@pytest.mark.parametrize(("programs", "sentence"), DRIVERS.values(), ids=DRIVERS)
def test_the_driver_is_queried_where_only_a_shell_knows_the_interpreter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, programs: dict[str, str], sentence: str
) -> None:
    (tmp_path / "bin").mkdir()
    for name, answer in programs.items():
        pretend(tmp_path / "bin", name, answer)
    which = functools.partial(shutil.which, path=str(tmp_path / "bin"))
    monkeypatch.setattr(shutil, "which", which)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    monkeypatch.setenv("HIP_VISIBLE_DEVICES", "")
    if not sentence:
        assert gpu.check(("bash", "train.sh"), tmp_path, 1) == ""
        return
    with pytest.raises(UsageError) as refused:
        gpu.check(("bash", "train.sh"), tmp_path, 1)
    assert refused.value.message.startswith(f"--original-on gpu: {sentence}")
    assert "; CUDA_VISIBLE_DEVICES is '3'; HIP_VISIBLE_DEVICES is ''" in refused.value.message


INTERPRETERS = {
    "named": (("python3", "train.py"), "python3"),
    "with-its-folder": (("venv/bin/python", "train.py"), "{project}/venv/bin/python"),
    "beside-a-launcher": (("venv/bin/torchrun", "train.py"), "{project}/venv/bin/python"),
    "in-a-shell-script": (("sh", "train.sh"), None),
    "a-script": (("./train.sh",), None),
}


@pytest.mark.parametrize(("command", "python"), INTERPRETERS.values(), ids=INTERPRETERS)
def test_the_interpreter_of_a_command(
    tmp_path: Path, command: tuple[str, ...], python: str | None
) -> None:
    (tmp_path / "venv").mkdir()
    for name in ("python", "torchrun"):
        pretend(tmp_path / "venv" / "bin", name, "")
    expected = python and python.format(project=tmp_path)
    assert gpu.interpreter_of(command, tmp_path) == expected


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"original_on": "gpus"}, "--original-on gpus is no place to run in"),
        ({"original_on": "gpu", "pretend_gpu": True}, "contradict each other"),
    ],
    ids=["unknown-place", "pretended-too"],
)
def test_places_that_are_refused(tmp_path: Path, changes: dict[str, Any], sentence: str) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "train.py").touch()
    command = (sys.executable, "train.py")
    requested = VerifyRequest(tmp_path / "a", tmp_path / "b", command, command)
    with pytest.raises(UsageError) as refused:
        check_request(replace(requested, **changes), print)
    assert sentence in refused.value.message


ALLOWED = {
    "first-step": (0, "float32", False, 2e-3),
    "grows": (2, "float32", False, 4e-3),
    "ceiling": (10_000, "float32", False, 0.05),
    "half": (0, "float16", False, 2e-2),
    "bfloat16": (500, "bfloat16", False, 0.05),
    "gradients": (0, "float32", True, 2e-2),
    "gradients-ceiling": (0, "bfloat16", True, 0.25),
}


@pytest.mark.parametrize(
    ("position", "dtype", "gradient", "allowed"), ALLOWED.values(), ids=ALLOWED
)
def test_a_gpu_is_allowed_more(position: int, dtype: str, gradient: bool, allowed: float) -> None:
    found = Tolerance(to_gpu=True).allowed(position, dtype, gradient=gradient)
    assert found == pytest.approx(allowed)
    assert Tolerance().allowed(position, dtype, gradient=gradient) < allowed
    assert Tolerance(to_gpu=True, relative=1e-7).allowed(position, dtype) == 1e-7


def side(*losses: float, **about: Any) -> Side:
    points = tuple(Point(step, loss) for step, loss in enumerate(losses, 1))
    capture = Capture(
        0, sys.executable, series=(Series("loss", "loss", points),), steps=len(losses)
    )
    return Side(ORIGINAL, Path(), (), (), Outcome((), (), 1.0), (replace(capture, **about),))


NOISY, SMOOTH, OTHER = (1.0, 0.5, 0.9), (0.8, 0.8, 0.8), (2.0, 1.5, 1.9)
JUDGED = {
    "rounding": ((1.0, 1.0), (1.0005, 1.0005), {}, True),
    "more-than-rounding": ((1.0, 1.0), (1.0, 1.02), {}, False),
    "other-random-numbers": (NOISY, SMOOTH, {"means": True}, True),
    "other-random-numbers-other-mean": (NOISY, OTHER, {"means": True}, False),
    "without-random-numbers": (NOISY, SMOOTH, {}, False),
}


@pytest.mark.parametrize(("left", "right", "how", "agree"), JUDGED.values(), ids=JUDGED)
def test_judging_a_run_on_a_gpu(
    left: tuple[float, ...], right: tuple[float, ...], how: dict[str, Any], agree: bool
) -> None:
    tolerance = replace(Tolerance(to_gpu=True), **how)
    evidence = judge(side(*left, gpu="H200"), side(*right), tolerance, None)
    assert bool(evidence.reasons) != agree
    assert evidence.notes[0].startswith("the original ran on H200, which rounds differently")
    means = any("only the means are compared" in note for note in evidence.notes)
    assert means == how.get("means", False)


def test_an_original_that_leaves_the_gpu_alone_is_reported() -> None:
    evidence = judge(side(1.0), side(1.0), Tolerance(to_gpu=True), None)
    assert evidence.reasons == []
    assert "the original did not train on the GPU" in evidence.notes[0]


def test_reading_what_a_run_on_a_gpu_reported() -> None:
    reported = ({"source": "gpu", "name": "H200"}, {"source": "gpu", "random": True})
    capture = read(reported)
    assert (capture.gpu, capture.gpu_random) == ("H200", True)
    assert (read(reported[:1]).gpu_random, read(()).gpu) == (False, "")


def numbers(python: str, device: str) -> dict[str, str]:
    # an emulated NPU hides the GPU
    folders = (STARTUP, PACKAGES) if device == "npu" else (STARTUP,)
    ended = subprocess.run(
        (python, "-W", "ignore", str(SCRIPTS / "device_random.py"), device),
        env={**user_environment(), "PYTHONPATH": os.pathsep.join(map(str, folders))},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    reported: dict[str, str] = json.loads(ended.stdout.splitlines()[-1])
    return reported


def test_the_cpu_draws_for_another_device(torch_python: str) -> None:
    different = {name: how for name, how in numbers(torch_python, "npu").items() if how}
    assert different == {}


PROGRAM = """\
import torch
device = "cuda" if torch.cuda.is_available() else "cpu"
torch.cuda.manual_seed_all(7)
model = torch.nn.Sequential(
    torch.nn.Linear(8, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1)
).to(device)
optimizer = torch.optim.SGD(model.parameters(), 0.05)
for _ in range(5):
    optimizer.zero_grad()
    loss = model(torch.randn(4, 8, device=device)).square().mean()
    loss.backward()
    optimizer.step()
"""


def test_what_is_set_up_for_a_gpu_does_no_harm_without_one(
    tmp_path: Path, torch_python: str
) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    command = (torch_python, "train.py")
    requested = VerifyRequest(
        tmp_path, tmp_path, command, command, original_on=gpu.GPU, timeout=300
    )
    ran = run(ORIGINAL, requested, tmp_path, tmp_path / "logs")
    assert ran.outcome.succeeded, ran.blamed.last_lines
    assert [len(one.points) for one in ran.captures[0].series if one.is_loss] == [5]
    assert "ascendify" not in ran.logs[0].read_text()


@pytest.fixture(scope="module")
def gpu_python() -> str:
    """A Python whose PyTorch finds a GPU; queried once, for that loads PyTorch."""
    python = os.environ.get(TORCH_INTERPRETER)
    if not python or not gpu.query(python, Path()).names:
        pytest.skip("no GPU here that the interpreter for PyTorch finds")
    return python


on_a_gpu = pytest.mark.xdist_group("gpu")
"""Tests of one worker, which has queried the GPU, so that they share it in turn."""


@on_a_gpu
def test_the_cpu_draws_for_a_gpu(gpu_python: str) -> None:
    different = {name: how for name, how in numbers(gpu_python, "cuda").items() if how}
    assert different == {}


@on_a_gpu
def test_a_gpu_cannot_be_uncovered(gpu_python: str, tmp_path: Path) -> None:
    shutil.copy(SCRIPTS / "uncover_gpu.py", tmp_path)
    ended = ascendify("run", "--", gpu_python, "uncover_gpu.py", cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout + ended.stderr


ONE_GPU = [name for name, example in VERIFIED.items() if name not in ("spawned", "torchrun")]


@on_a_gpu
@pytest.mark.parametrize("name", ONE_GPU)
@pytest.mark.parametrize("place", gpu.PLACES)
def test_examples_verify_beside_a_gpu(
    gpu_python: str, tmp_path: Path, name: str, place: str
) -> None:
    source = original(VERIFIED[name], tmp_path)
    migrated(source, gpu_python)
    requested = replace(request(VERIFIED[name], source, gpu_python), original_on=place)
    verdict = verify(replace(requested, folder=tmp_path / "logs"), print)
    assert verdict.result is VerifyResult.PASS, verdict.reasons
    assert any("the original ran on" in note for note in verdict.notes) == (place == gpu.GPU)
