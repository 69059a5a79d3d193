"""Tensors of the emulated NPU: features, mistakes that raise, training that equals the CPU's."""

from __future__ import annotations

import functools
import json
import os
import subprocess

import pytest

from ascendify.emulation.paths import PACKAGES, STARTUP
from support.interpreters import user_environment
from support.torch_cases import Results, cases, check, results, start

DEVICE = "torch_device_cases.py"
INDEX = "torch_index_cases.py"
TRAINING = "torch_training_cases.py"


@pytest.mark.parametrize("name", cases(DEVICE))
def test_device(preloaded_torch: str, name: str) -> None:
    check(results(preloaded_torch, DEVICE), name)


@pytest.mark.parametrize("name", cases(INDEX))
def test_index(preloaded_torch: str, name: str) -> None:
    check(_results_with(preloaded_torch, INDEX, "ASCENDIFY_DEVICES", "4"), name)


@pytest.mark.parametrize("name", cases(TRAINING))
def test_losses(preloaded_torch: str, name: str) -> None:
    check(_results_with(preloaded_torch, TRAINING, "ASCENDIFY_SHARED_RANDOM", "1"), name)


@functools.cache
def _results_with(python: str, script: str, variable: str, value: str) -> Results:
    ended = start(python, script, **{variable: value})
    assert ended.returncode == 0, f"{script}:\n{ended.stdout}\n{ended.stderr}"
    found: Results = json.loads(ended.stdout.splitlines()[-1])
    return found


AUTOLOAD = """
import torch
loads_packages = hasattr(torch, "_import_device_backends")  # from torch 2.5 on
print(loads_packages, hasattr(torch, "npu") and torch.ones(1).npu().device)
"""


def test_torch_makes_npu_known_without_an_import_where_it_loads_packages(torch_python: str) -> None:
    ended = subprocess.run(
        [torch_python, "-c", AUTOLOAD],
        env={**user_environment(), "PYTHONPATH": f"{STARTUP}{os.pathsep}{PACKAGES}"},
        capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert ended.stdout.strip() in ("True npu:0", "False False"), ended.stderr
