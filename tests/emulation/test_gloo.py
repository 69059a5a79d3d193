"""The end of a process whose ranks talk through gloo."""

from __future__ import annotations

import subprocess

import pytest

from ascendify.emulation.paths import STARTUP
from support.interpreters import user_environment

# A thread that needs Python's lock after work outside of it, as gloo's do; daemons are not waited
# for by Python itself. The package stands for the real one, which takes seconds to import. The
# program leaves without taking the interpreter down, in which Python itself may crash.
PROGRAM = """
import atexit, hashlib, itertools, os, sys, threading, types
atexit.register(os._exit, 0)  # comes last, as it is registered first
import sitecustomize
sys.modules["{package}"] = types.ModuleType("{package}")
def drop():
    for _ in {works}:
        hashlib.pbkdf2_hmac("sha256", b"word", b"salt", 40_000)
    print("dropped", flush=True)
threading.Thread(target=drop, daemon=True).start()
"""
RANKS = "torch.distributed"
FEW, MANY, ENDLESS = "range(2)", "range(500)", "itertools.count()"


@pytest.mark.parametrize(
    ("package", "works", "environment", "waited"),
    [
        pytest.param(RANKS, FEW, {"ASCENDIFY_ON_CPU": "1"}, True, id="original"),
        pytest.param(RANKS, FEW, {"ASCENDIFY_DEVICES": "2"}, True, id="migrated"),
        pytest.param(RANKS, MANY, {"ASCENDIFY_MEASURE": "."}, False, id="real machine"),
        pytest.param("torch.utils", MANY, {"ASCENDIFY_ON_CPU": "1"}, False, id="no ranks"),
        pytest.param(RANKS, ENDLESS, {"ASCENDIFY_ON_CPU": "1"}, False, id="never rests"),
    ],
)  # fmt: skip
def test_running_threads_finish_first(
    package: str, works: str, environment: dict[str, str], waited: bool, bare_python: str
) -> None:
    ended = subprocess.run(
        [bare_python, "-S", "-c", PROGRAM.format(package=package, works=works)],
        env={**user_environment(), "PYTHONPATH": str(STARTUP), **environment},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "dropped\n" * waited, "")
