"""A GPU of this machine stays hidden, whatever a program does with the variables that name it.

The CUDA driver reads the environment of the C library, so that is what the programs look at.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ascendify.emulation.environment import HIDDEN_GPU
from ascendify.emulation.paths import STARTUP
from ascendify.jobs.environment import rank_environment
from ascendify.verify.request import VerifyRequest
from ascendify.verify.sides import plan_side
from support.interpreters import user_environment

LIBRARY = """\
import ctypes, json, os, subprocess, sys
name = "CUDA_VISIBLE_DEVICES"
def of_the_library():
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    return getenv(name.encode()).decode()
"""
CHILD = f"{LIBRARY}\nprint(os.environ[name], of_the_library())"
ASK_A_CHILD = 'child = [sys.executable, "-c", os.environ["CHILD"]]\n'
PROGRAMS = {
    "says-nothing": ("", "-1"),
    "sets-it": ('os.environ[name] = "0"', "0"),
    "updates-it": ('os.environ.update({name: "0,1"})', "0,1"),
    "sets-it-in-bytes": ('os.environb[name.encode()] = b"0"', "0"),
    "sets-it-in-the-library": ('os.putenv(name, "0")', "-1"),
    "takes-it-out": ("os.environ.pop(name)", None),
    "takes-it-out-of-the-library": ("os.unsetenv(name)", "-1"),
}


def say(python: str, source: str, **environment: str) -> object:
    ended = subprocess.run(
        (python, "-c", source),
        env={**user_environment(), **HIDDEN_GPU, "PYTHONPATH": str(STARTUP), **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout.splitlines()[-1])


@pytest.mark.parametrize(("line", "own"), PROGRAMS.values(), ids=PROGRAMS)
def test_a_program_reads_back_its_own_value_and_the_library_gets_ours(
    bare_python: str, line: str, own: str | None
) -> None:
    source = f"{LIBRARY}{line}\nprint(json.dumps([os.environ.get(name), of_the_library()]))"
    assert say(bare_python, source) == [own, "-1"]


CHILDREN = {
    "with-the-environment": ("subprocess.run(child, env=dict(os.environ), stdout=-1)", "0"),
    "without-one": ("subprocess.run(child, stdout=-1)", "0"),
    "from-a-shell": (
        "subprocess.run(['sh', '-c', 'CUDA_VISIBLE_DEVICES=1 \"$0\" -c \"$CHILD\"', "
        "sys.executable], stdout=-1)",
        "1",
    ),
}


@pytest.mark.parametrize(("start", "own"), CHILDREN.values(), ids=CHILDREN)
def test_children_find_none_either(bare_python: str, start: str, own: str) -> None:
    source = (
        f'{LIBRARY}{ASK_A_CHILD}os.environ[name] = "0"\n'
        f"print(json.dumps({start}.stdout.decode().strip()))"
    )
    assert say(bare_python, source, CHILD=CHILD) == f"{own} -1"


def test_torch_counts_no_gpu_by_the_programs_value(torch_python: str) -> None:
    source = (
        'import json, os\nos.environ["CUDA_VISIBLE_DEVICES"] = "0"\nimport torch\n'
        # the management library of a machine with a GPU
        "torch.cuda._raw_device_count_nvml = lambda: 1\n"
        "print(json.dumps([torch.cuda.is_available(), torch.cuda.device_count(), "
        'getattr(torch.cuda, "_device_count_nvml")()]))'
    )
    assert say(torch_python, source, PYTORCH_NVML_BASED_CUDA_CHECK="1") == [False, 0, -1]


@pytest.mark.parametrize("side", ["original", "migrated"])
def test_both_sides_hide_it_from_a_user_who_shows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, side: str
) -> None:
    shown = {"CUDA_VISIBLE_DEVICES": "0", "HIP_VISIBLE_DEVICES": "0", "ROCR_VISIBLE_DEVICES": "0"}
    for name, value in shown.items():
        monkeypatch.setenv(name, value)
    command = ("python", "train.py")
    request = VerifyRequest(tmp_path, tmp_path, command, command)
    job = plan_side(side, request, tmp_path, tmp_path / "logs")
    environment = rank_environment(job.ranks[0])
    assert {name: environment[name] for name in shown} == dict.fromkeys(shown, "-1")
    assert environment["NVIDIA_VISIBLE_DEVICES"] == "void"
    assert environment["ASCENDIFY_HIDE_GPU"] == HIDDEN_GPU["ASCENDIFY_HIDE_GPU"]
