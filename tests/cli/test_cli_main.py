"""The command itself: version, help, and what every kind of failure looks like from outside."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import pytest
from typer.testing import CliRunner

import ascendify as package
from ascendify.cli import main
from ascendify.cli.app import app
from support.commands import ascendify, run_python
from support.processes import expect_line
from support.projects import write_project

COMMANDS = ("check", "migrate", "rules", "rule", "api")


def pipeline_that(monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    """Make ``check`` fail with this exception."""

    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    monkeypatch.setattr("ascendify.migrate.pipeline.check", fail, raising=False)


# --- asking ----------------------------------------------------------------------------------


def test_version() -> None:
    result = ascendify("--version")
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"ascendify {package.__version__}\n"


def test_version_needs_no_command_line_library() -> None:
    script = (
        "import sys; from ascendify.cli import main; main(['--version']);"
        "print({'typer', 'rich', 'pathlib', 'dataclasses'} & set(sys.modules))"
    )
    assert run_python("-S", "-I", "-c", _with_path(script)).stdout.endswith("set()\n")


def _with_path(script: str) -> str:
    # -S keeps what site-packages load at start-up out of the measurement.
    return (
        f"import sys; sys.path.insert(0, {str(Path(package.__file__).parent.parent)!r}); {script}"
    )


@pytest.mark.parametrize("args", [(), ("--help",), ("-h",)], ids=["bare", "long", "short"])
def test_help_lists_the_commands(args: tuple[str, ...]) -> None:
    result = ascendify(*args)
    assert result.returncode == 0
    assert all(command in result.stdout for command in COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help(command: str) -> None:
    result = CliRunner().invoke(app, [command, "--help"])
    assert result.exit_code == 0
    assert f"Usage: ascendify {command}" in result.output.replace("Usage: root", "Usage: ascendify")


def test_version_beside_other_arguments() -> None:
    assert CliRunner().invoke(app, ["--version", "check"]).output.startswith("ascendify ")


# --- mistakes --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "error", "hint"),
    [
        pytest.param(("chek",), "chek", "ascendify --help", id="no-such-command"),
        pytest.param(
            ("check", "--bogus"), "--bogus", "ascendify check --help", id="no-such-option"
        ),
        pytest.param(("check", "-j", "x"), "jobs", "ascendify check --help", id="not-a-number"),
        pytest.param(("check", "-j", "-1"), "--jobs is -1", "a whole number", id="out-of-range"),
        pytest.param(("check", "gone"), "gone does not exist", "folder or file", id="no-such-path"),
        pytest.param(("check", "--output-format", "xml"), "xml", "--help", id="no-such-format"),
        pytest.param(("check", "--output-format", "xlsx"), "xlsx", "--output-file", id="xlsx"),
        pytest.param(("rule",), "CODE", "ascendify rule --help", id="missing-argument"),
        pytest.param(("migrate",), "nothing to migrate", "migrate PATH -o", id="no-input"),
        pytest.param(("migrate", "."), "no place to write", "--in-place", id="no-output"),
        pytest.param(("migrate", ".", "-i", "."), "two inputs", "give one", id="two-inputs"),
        pytest.param(("migrate", ".", "-o", "out"), "inside the input", "_npu", id="inside"),
        pytest.param(("migrate", ".", "-o", "."), "is the input", "--in-place", id="same"),
    ],
)
def test_a_mistake_is_two_lines_and_exit_2(
    tmp_path: Path, args: tuple[str, ...], error: str, hint: str
) -> None:
    result = ascendify(*args, cwd=write_project(tmp_path / "project"))
    first, second = result.stderr.splitlines()
    assert (result.returncode, result.stdout) == (2, "")
    assert first.startswith("error: ")
    assert error in first
    assert second.startswith("hint: ")
    assert hint in second


@pytest.mark.parametrize(
    ("problem", "error"),
    [
        pytest.param(PermissionError(13, "Permission denied", "a.py"), "permission denied: a.py"),
        pytest.param(OSError(28, "No space left on device"), "no space left on device"),
        pytest.param(OSError(5, "Input/output error", "b"), "input/output error: b"),
    ],
    ids=["permission", "disk-full", "with-a-name"],
)
def test_a_failing_machine_is_no_crash(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    problem: OSError,
    error: str,
) -> None:
    pipeline_that(monkeypatch, problem)
    assert main(["check", str(tmp_path)]) == 2
    assert capsys.readouterr().err.splitlines()[0] == f"error: {error}"


def test_a_crash_asks_to_be_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pipeline_that(monkeypatch, ZeroDivisionError("of ours"))
    assert main(["check", str(tmp_path)]) == 2
    captured = capsys.readouterr().err
    assert "error: ascendify crashed: ZeroDivisionError: of ours" in captured
    assert "please report it" in captured
    assert "Traceback" not in captured
    assert main(["check", str(tmp_path), "--verbose"]) == 2
    assert "Traceback" in capsys.readouterr().err


def test_a_mistake_never_shows_a_traceback() -> None:
    assert "Traceback" not in ascendify("check", "gone", "--verbose").stderr


# --- Ctrl-C ----------------------------------------------------------------------------------

_SLOW_CHECK = """
import sys, time
import ascendify.migrate.pipeline
from ascendify.cli import main
def slow(*_, **__):
    print("started", flush=True)
    time.sleep(60)
ascendify.migrate.pipeline.check = slow
sys.exit(main(["check", "."]))
"""


def test_interrupt(tmp_path: Path) -> None:
    with subprocess.Popen(
        (sys.executable, "-c", _SLOW_CHECK),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        expect_line(process, "started")
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert err.splitlines() == ["error: interrupted", "hint: nothing was left half-written"]
