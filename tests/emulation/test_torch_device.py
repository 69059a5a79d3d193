"""Tensors of the emulated NPU: features, mistakes that raise, training that equals the CPU's."""

from __future__ import annotations

import functools
import json
import subprocess

import pytest
from torch_cases import Results, cases, check, results, start

from interpreters import PACKAGES, user_environment

DEVICE = "torch_device_cases.py"
INDEX = "torch_index_cases.py"
TRAINING = "torch_training_cases.py"


@pytest.mark.parametrize("name", cases(DEVICE))
def test_device(torch_python: str, name: str) -> None:
    check(results(torch_python, DEVICE), name)


@pytest.mark.parametrize("name", cases(INDEX))
def test_index(torch_python: str, name: str) -> None:
    check(_results_with(torch_python, INDEX, "ASCENDIFY_DEVICES", "4"), name)


@pytest.mark.parametrize("name", cases(TRAINING))
def test_losses(torch_python: str, name: str) -> None:
    check(_results_with(torch_python, TRAINING, "ASCENDIFY_SHARED_RANDOM", "1"), name)


@functools.cache
def _results_with(python: str, script: str, variable: str, value: str) -> Results:
    ended = start(python, script, **{variable: value})
    assert ended.returncode == 0, f"{script}:\n{ended.stdout}\n{ended.stderr}"
    found: Results = json.loads(ended.stdout.splitlines()[-1])
    return found


CHECKS = """
import tempfile, os, sys
sys.path.insert(0, {packages!r})
from importlib import util
spec = util.spec_from_file_location("compatible", {packages!r} + "/torch_npu/_compatible.py")
compatible = util.module_from_spec(spec)
spec.loader.exec_module(compatible)
for version in ("2.11.0", "2.12.1+cpu", "2.13.0a0"):
    compatible.check_torch(version)
for version in ("2.10.2", "2.14.0", "1.8.1", "3.0"):
    try:
        compatible.check_torch(version)
    except ImportError as error:
        assert version in str(error) and "2.11 to 2.13" in str(error), error
    else:
        raise AssertionError(version)
folder = tempfile.mkdtemp()
os.mkdir(folder + "/torch_npu")
open(folder + "/torch_npu/__init__.py", "w").close()
compatible.check_alone({packages!r})
sys.path.append(folder)
try:
    compatible.check_alone({packages!r})
except ImportError as error:
    assert folder in str(error) and "ASCENDIFY_FORCE_EMULATION" in str(error), error
else:
    raise AssertionError("a real torch_npu was hidden")
os.environ["ASCENDIFY_FORCE_EMULATION"] = "1"
compatible.check_alone({packages!r})
"""


def test_other_versions_and_a_real_torch_npu_are_refused(torch_python: str) -> None:
    ended = subprocess.run(
        [torch_python, "-c", CHECKS.format(packages=str(PACKAGES))],
        env=user_environment(), capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert ended.returncode == 0, ended.stderr


def test_autoload_makes_npu_known_without_an_import(torch_python: str) -> None:
    ended = subprocess.run(
        [torch_python, "-c", "import torch; print(torch.ones(1).npu().device)"],
        env={**user_environment(), "PYTHONPATH": str(PACKAGES)},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert ended.stdout.strip() == "npu:0", ended.stderr
