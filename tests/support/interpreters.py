"""The plugin of every test: interpreters that stand for a user's, and no limits of time.

The interpreters have TensorFlow 1.15, a current TensorFlow, or PyTorch.
"""

from __future__ import annotations

import os
import signal
import subprocess
import venv
from collections.abc import Callable
from pathlib import Path

import hypothesis
import pytest

from ascendify.jobs.emulated import repeatable
from ascendify.verify.request import DEFAULT_SEED
from support.preloaded import program

PACKAGES = Path(__file__).parents[2] / "src" / "ascendify" / "emulation" / "packages"
# started in the background, these would be ignored here and in every process the tests start
for _name in ("SIGINT", "SIGHUP"):
    if hasattr(signal, _name) and signal.getsignal(getattr(signal, _name)) is signal.SIG_IGN:
        _usual = signal.default_int_handler if _name == "SIGINT" else signal.SIG_DFL
        signal.signal(getattr(signal, _name), _usual)

# how long an example takes says something of the machine only
hypothesis.settings.register_profile(
    "untimed", deadline=None, suppress_health_check=[hypothesis.HealthCheck.too_slow]
)
hypothesis.settings.load_profile("untimed")

INTERPRETERS = {"tf1": "ASCENDIFY_TF1_PYTHON", "tf2": "ASCENDIFY_TF2_PYTHON"}
TORCH_INTERPRETER = "ASCENDIFY_TORCH_PYTHON"

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def tensorflow_python(kind: str) -> str:
    """A Python that has TensorFlow, ``tf1`` or ``tf2``."""
    path = os.environ.get(INTERPRETERS[kind])
    if not path:
        pytest.skip(f"{INTERPRETERS[kind]} names no interpreter with TensorFlow")
    return path


def preloaded(python: str, kind: str) -> str:
    """A program like this interpreter that has loaded ``tf1``, ``tf2`` or ``torch`` already.

    For scripts that compute something. A test of how a process starts, imports or is killed takes
    the interpreter itself.
    """
    # both are what a process of ``verify`` starts with: this shell's own, and those for one result
    own = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")}
    variables = {**own, **user_environment(), **repeatable(DEFAULT_SEED, devices=1)}
    del variables["PYTHONWARNINGS"]  # each script may have its own
    return program(python, kind, variables)


@pytest.fixture(params=sorted(INTERPRETERS))
def interpreter(request: pytest.FixtureRequest) -> str:
    """A Python that has TensorFlow."""
    return tensorflow_python(request.param)


@pytest.fixture(params=sorted(INTERPRETERS))
def preloaded_tensorflow(request: pytest.FixtureRequest) -> str:
    """A Python that has loaded TensorFlow."""
    return preloaded(tensorflow_python(request.param), request.param)


@pytest.fixture(scope="session")
def torch_python() -> str:
    """A Python that has PyTorch."""
    path = os.environ.get(TORCH_INTERPRETER)
    if not path:
        pytest.skip(f"{TORCH_INTERPRETER} names no interpreter with PyTorch")
    return path


@pytest.fixture
def preloaded_torch(torch_python: str) -> str:
    """A Python that has loaded PyTorch."""
    return preloaded(torch_python, "torch")


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python that has no package at all."""
    folder = tmp_path_factory.mktemp("bare")
    venv.create(folder, with_pip=False)
    return str(folder / "bin" / "python")


@pytest.fixture
def run_script(preloaded_tensorflow: str) -> Run:
    """Run a script against the stand-ins and return what came of it."""

    def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [preloaded_tensorflow, *map(str, arguments)],
            env={**user_environment(), "PYTHONPATH": str(PACKAGES), **environment},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )

    return run


def user_environment() -> dict[str, str]:
    """What a user's shell has, with TensorFlow and PyTorch kept quiet and small."""
    quiet = {
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "TF_NUM_INTEROP_THREADS": "2",
        "TF_NUM_INTRAOP_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "PYTHONWARNINGS": "ignore",
    }
    # the last names the path of the emulation that tools/try_releases.py tries
    names = ("PATH", "HOME", "LANG", "ASCENDIFY_EMULATION_PATH")
    kept = {name: os.environ[name] for name in names if name in os.environ}
    return {**kept, **quiet}
