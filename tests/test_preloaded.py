"""Interpreters that have loaded a framework do what the interpreters they stand for do."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest

from ascendify.jobs.emulated import repeatable
from ascendify.verify.request import DEFAULT_SEED
from support.interpreters import TORCH_INTERPRETER, preloaded, tensorflow_python, user_environment

START = """\
import os, sys
print(__name__, __file__, sys.argv, sys.path[0], os.getcwd(), os.environ["OWN"])
print(sorted(name for name in ("numpy", "torch", "helper") if name in sys.modules))
print(repr(sys.stdin.read()), __spec__, sys.stdout.line_buffering, sys.stderr.line_buffering)
import helper
"""
FAILING = """\
import sys
print("so far")
def fail():
    raise ValueError("wrong")
fail()
"""
FILES = """\
import os, subprocess, sys
if sys.argv[1:]:
    print(os.read(int(sys.argv[1]), 9))
else:
    reading, writing = os.pipe()
    os.write(writing, b"from above")
    subprocess.run([sys.executable, __file__, str(reading)], pass_fds=(reading,))
    try:
        os.read(reading + 40, 1)
    except OSError as error:
        print(error)
"""
SPAWNING = """\
import multiprocessing, os
def work(number):
    return number * 2, os.environ["OWN"]
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print(pool.map(work, [1, 2]))
        pool.close()
        pool.join()
"""
THREAD = """\
import threading
printed = threading.Event()
threading.Thread(target=lambda: print("later", printed.wait())).start()
print("first")
printed.set()
"""
PROGRAMS = {
    "start": ("program.py", START),
    "options of its own": ("program.py", START, "-u", "--two=2"),
    "error": ("program.py", FAILING),
    "no such file": ("missing.py", ""),
    "syntax": ("program.py", "print(\n"),
    "exit code": ("program.py", "import sys; sys.exit(7)"),
    "reason": ("program.py", "import sys; sys.exit('a reason')"),
    "at exit": ("program.py", "import atexit; atexit.register(print, 'bye'); print('hello')"),
    "signal": ("program.py", "import os; print(1, flush=True); os.kill(os.getpid(), 15)"),
    "leaves at once": ("program.py", "import os; os._exit(3)"),
    "own thread": ("program.py", THREAD),
    "open files": ("program.py", FILES),
    "spawning": ("program.py", SPAWNING),
    "warnings": ("program.py", "import warnings; warnings.warn('a'); print(warnings.filters[0])"),
}
"""File name, text and arguments."""


def run(python: str, folder: Path, *arguments: str, **variables: str) -> tuple[int, str, str]:
    torch = os.environ.get(TORCH_INTERPRETER, "PYTHON")
    ended = subprocess.run(
        [python, *arguments],
        cwd=folder,
        env={**user_environment(), "OWN": "1", "PYTHONPATH": str(folder / "path"), **variables},
        input="typed",
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    errors = ended.stderr.replace(python, "PYTHON").replace(torch, "PYTHON")
    return ended.returncode, ended.stdout, errors


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "path").mkdir()
    (tmp_path / "path" / "sitecustomize.py").write_text("print('site')")
    (tmp_path / "path" / "helper.py").write_text("print('helper', __name__)")
    return tmp_path


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_runs_as_it_would(
    torch_python: str, preloaded_torch: str, folder: Path, name: str
) -> None:
    file, text, *arguments = PROGRAMS[name]
    (folder / "program.py").write_text(text)
    expected = run(torch_python, folder, file, *arguments)
    found = run(preloaded_torch, folder, file, *arguments)
    assert found[0] == expected[0]
    # processes of the program print when they have started, sooner or later
    in_order = sorted if name == "spawning" else list
    assert in_order(found[1].splitlines()) == in_order(expected[1].splitlines())
    assert found[2].splitlines()[-1:] == expected[2].splitlines()[-1:]
    assert str(Path(__file__).parent) not in found[2], "it shows our files"


@pytest.mark.parametrize(
    "arguments",
    [
        ["-c", "import sys; print(sys.argv, repr(sys.path[0]), __name__)", "a"],
        ["-m", "json.tool", "--help"],
        ["-u", "-c", "import sys; print(sys.stdout.write_through)"],
        ["-V"],
        ["-W", "error", "-c", "import warnings; warnings.warn('x')"],
    ],
    ids=" ".join,
)
def test_arguments_of_the_interpreter(
    torch_python: str, preloaded_torch: str, folder: Path, arguments: list[str]
) -> None:
    expected = run(torch_python, folder, *arguments)
    assert run(preloaded_torch, folder, *arguments) == expected


@pytest.mark.parametrize(
    ("variables", "is_fork"),
    [
        pytest.param({}, True, id="those it was loaded with"),
        pytest.param({"LC_CTYPE": "C.UTF-8"}, True, id="what Python sets where no locale is"),
        pytest.param({"PYTHON": "python3", "PYTHONUNBUFFERED": "1"}, True, id="of no matter"),
        pytest.param(repeatable(DEFAULT_SEED, devices=2), True, id="those of verify"),
        pytest.param({"MKL_CBWR": "COMPATIBLE"}, False, id="another arithmetic"),
        pytest.param({"OMP_NUM_THREADS": "2"}, False, id="read when the framework is loaded"),
        pytest.param({"LC_ALL": "en_US.UTF-8"}, False, id="another locale"),
    ],
)
def test_variables_decide_whether_a_fork_will_do(
    preloaded_torch: str, folder: Path, variables: dict[str, str], is_fork: bool
) -> None:
    leads_a_session = "import os; print(os.getsid(0) == os.getpid())"  # as every fork does
    own = {name: value for name, value in os.environ.items() if name.startswith("OPENBLAS_")}
    _, out, _ = run(preloaded_torch, folder, "-c", leads_a_session, **own, **variables)
    assert out.split() == ["site", str(is_fork)]


def test_other_hashes_need_the_interpreter_itself(
    torch_python: str, preloaded_torch: str, folder: Path
) -> None:
    program = ("-c", "print(hash('a'))")
    expected = run(torch_python, folder, *program, PYTHONHASHSEED="5")
    assert run(preloaded_torch, folder, *program, PYTHONHASHSEED="5") == expected


IMPORTS = """\
import importlib.util, sys
class Watcher:
    waiting = [NAMES]
    def find_spec(self, name, path=None, target=None):
        if name not in self.waiting:
            return None
        self.waiting.remove(name)
        spec = importlib.util.find_spec(name)
        load = spec.loader.exec_module
        def exec_module(module):
            load(module)
            print("loaded", name, name in sys.modules)
        spec.loader.exec_module = exec_module
        return spec
sys.meta_path.insert(0, Watcher())
assert not [name for name in Watcher.waiting if name in sys.modules]
import FIRST
print([name for name in (NAMES) if name not in sys.modules])
import numpy
print(numpy.random.random is numpy.random.mtrand.random, type(numpy.core.multiarray))
"""
KERAS = ("keras.src.optimizers.optimizer", "keras.src.optimizers.legacy.optimizer_v2")
WATCHED = {
    "tf1": ("tensorflow", "numpy", "tensorflow", "tensorflow.python.client.session"),
    "tf2": ("tensorflow", "numpy", "tensorflow", "tensorflow.python.client.session", *KERAS),
    "torch": ("torch", "numpy", "torch", "torch.nn", "torch.optim"),
}


@pytest.mark.parametrize("kind", WATCHED)
def test_who_waits_for_an_import_sees_it(
    kind: str, request: pytest.FixtureRequest, folder: Path
) -> None:
    python = request.getfixturevalue("torch_python") if kind == "torch" else tensorflow_python(kind)
    first, *names = WATCHED[kind]
    text = IMPORTS.replace("NAMES", ", ".join(map(repr, names))).replace("FIRST", first)
    (folder / "program.py").write_text(text)
    expected = run(python, folder, "program.py")
    assert run(preloaded(python, kind), folder, "program.py") == expected
    assert expected[0] == 0, expected[2]


def test_a_program_ends_with_the_process_that_started_it(
    preloaded_torch: str, folder: Path
) -> None:
    """Its standard input is a pipe of ours, which it holds open for as long as it lives."""
    (folder / "program.py").write_text("import time\nprint(flush=True)\nwhile True: time.sleep(9)")
    reading, writing = os.pipe()
    with subprocess.Popen(
        [preloaded_torch, "program.py"],
        cwd=folder,
        env=user_environment(),
        stdin=subprocess.DEVNULL,
        stdout=writing,
    ) as process:
        os.close(writing)
        assert os.read(reading, 9) == b"\n"
        process.send_signal(signal.SIGKILL)
    assert os.read(reading, 9) == b""
    os.close(reading)
