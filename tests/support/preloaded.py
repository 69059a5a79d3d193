"""Interpreters that stand for a user's and have loaded TensorFlow or PyTorch already.

``program`` returns a program that is used like the interpreter it stands for and starts scripts
some seconds faster: see ``scripts/preloaded_server.py``. One server of each kind serves all workers
of a run of the tests. Tests get it from fixtures in ``support.interpreters``.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

_PYTHON = Path(__file__).parent / "scripts" / "preloaded_python.py"
_SERVER = Path(__file__).parent / "scripts" / "preloaded_server.py"
_FOLDER = "ASCENDIFY_TESTS_PRELOADED"
"""Variable that names the folder of the servers of this run."""
_MODULES = {
    "tf1": ("numpy", "tensorflow", "tensorflow_estimator"),
    "tf2": ("numpy", "tensorflow", "keras"),
    "torch": ("numpy", "torch", "torch._dynamo"),  # the last is imported by every optimizer
}
_TORCHRUN = """\
import sys
from torch.distributed.run import main

sys.exit(main())
"""
_PROGRAMS: dict[str, str] = {}
_CONNECTIONS: list[socket.socket] = []
"""Each keeps a server running, until it is closed or this process ends."""


def pytest_configure(config: pytest.Config) -> None:
    """Make a folder for all workers, whose environments are copies of ours."""
    if not hasattr(config, "workerinput"):
        folder = tempfile.TemporaryDirectory(prefix="ascendify-preloaded-")
        os.environ[_FOLDER] = folder.name
        config.add_cleanup(folder.cleanup)


def pytest_unconfigure() -> None:
    """Let the servers end."""
    while _CONNECTIONS:
        _CONNECTIONS.pop().close()


def program(python: str, kind: str, variables: Mapping[str, str]) -> str:
    """Return a program like an interpreter, with ``tf1``, ``tf2`` or ``torch`` loaded.

    Variables are those to load it with.
    """
    if sys.platform != "linux":
        return python  # elsewhere a fork may lack threads of what was loaded
    if kind not in _PROGRAMS:
        _PROGRAMS[kind] = _connect(python, kind, variables)
    return _PROGRAMS[kind]


def _connect(python: str, kind: str, variables: Mapping[str, str]) -> str:
    folder = Path(os.environ[_FOLDER]) / kind
    folder.mkdir(exist_ok=True)
    path = folder / "socket"
    with Path(f"{path}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not path.exists():
            _write_programs(folder, python, path, variables)
            _start(python, path, variables, _MODULES[kind])
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(str(path))
        connection.sendall(b"L")
    _CONNECTIONS.append(connection)
    return str(folder / "python")


def _write_programs(folder: Path, python: str, path: Path, variables: Mapping[str, str]) -> None:
    text = _PYTHON.read_text(encoding="utf-8")
    constants = {"INTERPRETER": python, "SOCKET": str(path), "VARIABLES": dict(variables)}
    for name, value in constants.items():
        line = next(line for line in text.splitlines() if line.startswith(f"{name} = "))
        text = text.replace(line, f"{name} = {value!r}", 1)
    texts = {"python": f"#!{python} -IS\n{text}", "torchrun": f"#!{folder}/python\n{_TORCHRUN}"}
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
        (folder / name).chmod(0o755)


def _start(python: str, path: Path, variables: Mapping[str, str], modules: Sequence[str]) -> None:
    """Start a server, which leaves this process; return when it listens."""
    reading, writing = os.pipe()
    command = (python, str(_SERVER), str(path), str(writing), json.dumps(modules))
    subprocess.run(
        command,
        env={**variables, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=(writing,),
        start_new_session=True,
        check=True,
    )
    os.close(writing)
    with os.fdopen(reading, "rb") as ready:
        assert ready.read(1), f"it did not start; run it by hand: {command!r}"
