"""What cannot start is refused with a way out; how Python is called is read as Python reads it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from ascendify.emulation.failures import explain, is_consequence, without_libraries
from ascendify.emulation.paths import PACKAGES
from ascendify.errors import UsageError
from ascendify.processes.commands import check_command, python_version, read_python


@pytest.mark.parametrize(
    ("command", "script", "ignores"),
    [
        pytest.param("python train.py -E", "train.py", False, id="script"),
        pytest.param("/opt/venv/bin/python3.7 -u train.py", "train.py", False, id="flag"),
        pytest.param("python -W ignore -X dev train.py", "train.py", False, id="values"),
        pytest.param("python -Wignore train.py", "train.py", False, id="value-attached"),
        pytest.param("python -uBW ignore train.py", "train.py", False, id="cluster"),
        pytest.param("python --check-hash-based-pycs always a.py", "a.py", False, id="long"),
        pytest.param("python -m package.train -I", None, False, id="module"),
        pytest.param("python -um package.train", None, False, id="module-in-cluster"),
        pytest.param("python -c pass", None, False, id="string"),
        pytest.param("python -", None, False, id="standard-input"),
        pytest.param("python", None, False, id="alone"),
        pytest.param("python -I train.py", "train.py", True, id="isolated"),
        pytest.param("python -sE train.py", "train.py", True, id="no-environment"),
    ],
)
def test_reading_python(command: str, script: str | None, ignores: bool) -> None:
    read = read_python(command.split())
    assert read is not None
    assert (read.script, read.ignores_environment) == (script, ignores)


@pytest.mark.parametrize("command", ["bash train.sh", "./pythonic.sh", "pythonize a.py", "env"])
def test_reading_something_else(command: str) -> None:
    assert read_python(command.split()) is None


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "train.py").write_text("")
    (tmp_path / "train.sh").write_text("")
    (tmp_path / "go.sh").write_text("#!/bin/sh\n")
    (tmp_path / "go.sh").chmod(0o755)
    (tmp_path / "folder").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("command", "message", "hint"),
    [
        pytest.param("pyhton train.py", "command not found: pyhton", "mean python?", id="typo"),
        pytest.param("xyzzy", "command not found: xyzzy", "activate", id="no-program"),
        pytest.param("train.py", "command not found: train.py", "python train.py", id="bare"),
        pytest.param("train.sh", "command not found", "bash train.sh", id="bare-shell"),
        pytest.param("./train.sh", "not executable", "chmod +x", id="not-executable"),
        pytest.param("./folder", "is a folder", "name the program", id="folder"),
        pytest.param("./no.sh", "does not exist", "relative to it", id="no-file"),
        pytest.param("/no/such/python a.py", "does not exist", "spelling", id="no-interpreter"),
        pytest.param("SEED=1 python train.py", "not a command", "env SEED=1", id="assignment"),
        pytest.param("PYTHON trian.py", "does not exist in", "relative to it", id="no-script"),
        pytest.param("sh no.sh", "no.sh does not exist in", "relative to it", id="no-shell-script"),
    ],
)
def test_refused(project: Path, command: str, message: str, hint: str) -> None:
    arguments = command.replace("PYTHON", sys.executable).split()
    with pytest.raises(UsageError) as refused:
        check_command(arguments, project, {"PATH": "/usr/bin:/bin"})
    assert message in refused.value.message
    assert hint in refused.value.hint


def test_hints_name_what_is_there(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    with pytest.raises(UsageError) as refused:
        check_command([sys.executable, "trian.py"], Path(), {})
    assert refused.value.hint == "did you mean train.py?"
    with pytest.raises(UsageError) as refused:
        check_command([sys.executable, "train.py"], project / "folder", {})
    assert refused.value.hint == f"the command runs in the project: name it {project / 'train.py'}"


@pytest.mark.parametrize(
    "command",
    ["./go.sh", "sh train.sh", "sh -c true", "PYTHON train.py", "PYTHON -m pkg", "PYTHON"],
)
def test_accepted(project: Path, command: str) -> None:
    arguments = command.replace("PYTHON", sys.executable).split()
    check_command(arguments, project, {"PATH": "/usr/bin:/bin"})


def test_asking_an_interpreter_for_its_version(tmp_path: Path) -> None:
    assert python_version(sys.executable, tmp_path, {}) == sys.version_info[:2]
    assert python_version("/bin/true", tmp_path, {}) is None
    assert python_version("/does/not/exist", tmp_path, {}) is None


@pytest.mark.parametrize(
    ("last", "ended_by", "arguments"),
    [
        ("ModuleNotFoundError: No module named 'tensorflow'", None, "has no TensorFlow"),
        ("ModuleNotFoundError: No module named 'tensorflow.contrib'", None, "TensorFlow 1.15"),
        ("AttributeError: module 'tensorflow' has no attribute 'Session'", None, "version 2"),
        ("AttributeError: module 'tensorflow' has no attribute 'placeholder'", None, "version 2"),
        ("ModuleNotFoundError: No module named 'npu_bridge'", None, "PYTHONPATH"),
        ("ModuleNotFoundError: No module named 'npu_device'", None, "the stand-ins were not found"),
        ("ModuleNotFoundError: No module named 'horovod.tensorflow'", None, "ascendify check"),
        ("ImportError: libascendcl.so: cannot open shared object file: x", None, "set_env.sh"),
        ("ModuleNotFoundError: No module named 'torch'", None, "has no PyTorch"),
        ("ModuleNotFoundError: No module named 'numpy'", None, "has no packages"),
        (
            "ModuleNotFoundError: No module named 'tqdm'",
            None,
            "a package that the interpreter lacks",
        ),
        ("ModuleNotFoundError: No module named 'models.net'", None, "expects another folder"),
        ("./run.sh: line 4: horovodrun: command not found", None, "--devices N"),
        ("errors_impl.UnknownError: Could not start gRPC server", None, "port"),
        ("OSError: [Errno 98] Address already in use", None, "port"),
        ("ValueError: x", None, ""),
        ("ValueError: x", 9, "memory"),
        ("", 4, "AVX"),
        ("", 11, ""),
        ("", 63, ""),
        ("FileNotFoundError: [Errno 2] No such file: 'data/x'", None, "relative paths start"),
        ("FileNotFoundError: [Errno 2] No such file: '/data/x'", None, ""),
        ("errors_impl.NotFoundError: data/x; No such file or directory", None, "relative paths"),
    ],
)
def test_explaining_failures(last: str, ended_by: int | None, arguments: str) -> None:
    advice = explain(["Traceback (most recent call last):", last], ended_by)
    assert arguments in advice
    assert bool(arguments) == bool(advice)


@pytest.mark.parametrize(
    ("lines", "reported"),
    [
        pytest.param(["3/3 done", "{'loss': 0.5}"], True, id="what main returned"),
        pytest.param(["Traceback (most recent call last):", "{'loss': 0.5}"], False, id="raised"),
        pytest.param(["no data"], False, id="a message"),
        pytest.param([], False, id="nothing"),
    ],
)
def test_a_value_that_main_returns(lines: list[str], reported: bool) -> None:
    assert ("let main() return nothing" in explain(lines, None)) == reported


def test_frames_of_libraries_are_left_out() -> None:
    log = """\
2026-01-31 10:59:40.285747: I tensorflow/core/platform/cpu_feature_guard.cc:142] Your CPU has AVX2
Traceback (most recent call last):
  File "train.py", line 3, in main
    train()
  File "/venv/lib/python3.7/site-packages/tensorflow_core/ops.py", line 1748, in run
    raise type(e)(node_def,
                  op)

UnknownError: it failed
  detail
Original stack trace for 'call':
  File "train.py", line 2, in main
  File "/venv/lib/python3.7/site-packages/tensorflow_core/ops.py", line 9, in __init__
  File "PACKAGES/npu_bridge/hccl/hccl_ops.py", line 283, in _function
    outputs = tf.numpy_function()
last
""".replace("PACKAGES", str(PACKAGES))
    assert without_libraries(log.splitlines()) == (
        "Traceback (most recent call last):",
        '  File "train.py", line 3, in main',
        "    train()",
        "UnknownError: it failed",
        "  detail",
        "Original stack trace for 'call':",
        '  File "train.py", line 2, in main',
        "last",
    )


def test_a_rank_that_waits_in_vain_is_not_to_blame() -> None:
    assert is_consequence(["ascendify_runtime.world.CollectiveError: rank 1 has gone"])
    assert is_consequence(["CollectiveError: rank 1 has gone"])
    assert is_consequence(["errors_impl.UnknownError: CollectiveError: rank 1 has gone"])
    assert not is_consequence(["ValueError: no CollectiveError"])
