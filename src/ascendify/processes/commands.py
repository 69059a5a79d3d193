"""Check a command before it starts: whether its program exists, and which file Python would run."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendify.errors import UsageError, did_you_mean

_PYTHON = re.compile(r"(python|pypy)(\d+(\.\d+)*)?[dmtuw]?(\.exe)?$")
_SHELLS = ("sh", "bash", "dash", "zsh", "ksh")
BESIDE_PYTHON = (
    *("torchrun", "torch_npu_run", "accelerate", "accelerate-launch", "deepspeed", "horovodrun"),
)
"""Programs installed next to the interpreter whose packages they use."""
_OPERATORS = "&;|<>"
"""Characters that mean something to a shell where they are not quoted."""
_SHELL_TEXT = re.compile(r"-[a-z]*c")
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_WITH_VALUE = "WXQ"
"""One-letter options of Python that take a value and are followed by others."""
_LONG_WITH_VALUE = "--check-hash-based-pycs"
_PRINT_PACKAGE = """\
import importlib.util, re, sys
spec = importlib.util.find_spec(sys.argv[1])
text = open(spec.origin, encoding="utf-8").read() if spec and spec.origin else ""
print("".join(re.findall("^__version__ *= *['\\"]([0-9]+[.][0-9]+)", text, re.M)[:1]))
"""
_PRINT_VERSION = "import sys; print('%d %d' % tuple(sys.version_info[:2]))"


@dataclass(frozen=True)
class PythonCommand:
    """The parts of a command line that starts Python."""

    flags: str
    """Its one-letter options, without their values."""
    script: str | None
    """The script; None when it runs a module, a string, or standard input."""

    @property
    def ignores_environment(self) -> bool:
        """Whether options make it ignore PYTHONPATH."""
        return "E" in self.flags or "I" in self.flags


def check_command(
    command: Sequence[str], folder: Path, environment: Mapping[str, str]
) -> PythonCommand | None:
    """Refuse a command that cannot start; return its parts if it starts Python.

    Raises:
        UsageError: the program or the script is missing.
    """
    _check_program(command[0], folder, environment)
    python = read_python(command)
    script = python.script if python else shell_script(command)
    if script is not None and not (folder / script).exists():
        place = "" if Path(script).is_absolute() else f" in {folder.resolve()}"
        raise UsageError(f"{script} does not exist{place}", _script_hint(script, folder))
    return python


def read_python(command: Sequence[str]) -> PythonCommand | None:
    """Split a command as Python does; None if it starts another program."""
    if not _PYTHON.match(Path(command[0]).name):
        return None
    flags = ""
    arguments = iter(command[1:])
    for argument in arguments:
        if argument.startswith("--"):
            if argument == _LONG_WITH_VALUE:
                next(arguments, None)
            continue
        if not argument.startswith("-") or argument == "-":
            return PythonCommand(flags, None if argument == "-" else argument)
        for position, letter in enumerate(argument[1:], start=2):
            flags += letter
            if letter in "cm":
                return PythonCommand(flags, None)
            if letter in _WITH_VALUE:
                if position == len(argument):
                    next(arguments, None)
                break
    return PythonCommand(flags, None)


def python_version(
    program: str, folder: Path, environment: Mapping[str, str]
) -> tuple[int, int] | None:
    """Return major and minor version of an interpreter; None if it cannot be started."""
    # without site-packages and the user's variables, so that nothing else runs
    command = (program, "-S", "-E", "-c", _PRINT_VERSION)
    try:
        major, minor = map(int, run_program(command, folder, environment).stdout.split())
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return major, minor


def package_release(
    command: Sequence[str], package: str, folder: Path, environment: Mapping[str, str]
) -> str:
    """Return the release of a package, such as ``2.3``, in the Python that a command starts.

    Empty where the package is not installed there, or names its release elsewhere than at the top,
    or where the command starts another program. The package itself is not imported.
    """
    if read_python(command) is None:
        return ""
    try:
        found = run_program((command[0], "-c", _PRINT_PACKAGE, package), folder, environment)
    except (OSError, subprocess.SubprocessError):
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


def run_program(
    command: Sequence[str],
    folder: Path | None = None,
    environment: Mapping[str, str] | None = None,
    *,
    input: str | None = None,
    timeout: float | None = 20.0,
) -> subprocess.CompletedProcess[str]:
    """Run a short program, such as the user's interpreter, and return what it prints.

    Raises:
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it takes too long.
    """
    return subprocess.run(  # noqa: S603 (named by the user, or our own; no shell reads it)
        command,
        cwd=folder,
        env=None if environment is None else dict(environment),
        input=input,
        stdin=subprocess.DEVNULL if input is None else None,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        check=False,
    )


def _check_program(program: str, folder: Path, environment: Mapping[str, str]) -> None:
    if _ASSIGNMENT.match(program):
        raise UsageError(
            f"{program} is not a command",
            f"set it in front of ascendify, or put env there: env {program} ...",
        )
    if os.sep not in program:
        if shutil.which(program, path=environment.get("PATH", os.defpath)) is None:
            raise UsageError(f"command not found: {program}", _program_hint(program, folder))
        return
    path = folder / program
    if not path.exists():
        raise UsageError(f"{program} does not exist", _script_hint(program, folder))
    if path.is_dir():
        raise UsageError(f"{program} is a folder", "name the program to run")
    if not os.access(path, os.X_OK):
        starter = "python" if path.suffix == ".py" else "bash"
        raise UsageError(
            f"{program} is not executable", f"put {starter} in front of it, or chmod +x {program}"
        )


def _program_hint(program: str, folder: Path) -> str:
    if (folder / program).exists():
        starter = "python" if program.endswith(".py") else "bash"
        return f"put {starter} in front of it: {starter} {program}"
    if program in BESIDE_PYTHON:
        return f"name it with the folder of your interpreter, such as venv/bin/{program}"
    return did_you_mean(
        program,
        ("python", "python3", "bash"),
        "check the spelling, or activate the environment that has it",
    )


def shell_script(command: Sequence[str]) -> str | None:
    """Return the script in a command such as ``bash train.sh``; None for other commands."""
    if Path(command[0]).name not in _SHELLS or len(command) < 2 or command[1].startswith("-"):
        return None
    return command[1]


def is_shell_text(command: Sequence[str]) -> bool:
    """Whether the third word is the text that a shell runs, as in ``sh -c "cd src && make"``."""
    if len(command) < 3 or Path(command[0]).name not in _SHELLS:
        return False
    return _SHELL_TEXT.fullmatch(command[1]) is not None


def split_text(text: str) -> list[str]:
    """Split a command that was given as one text, as a shell does.

    Text that only a shell can run, such as ``cd src && python train.py``, becomes ``sh -c TEXT``.

    Raises:
        ValueError: its quotes do not close.
    """
    words = shlex.split(text)
    parts = shlex.shlex(text, posix=True, punctuation_chars=_OPERATORS)
    parts.whitespace_split = True
    if (words and words[0] == "cd") or any(part and set(part) <= set(_OPERATORS) for part in parts):
        return ["sh", "-c", text]
    return words


def _script_hint(script: str, folder: Path) -> str:
    path = Path(script)
    if path.is_absolute() or folder.resolve() == Path.cwd():
        parent = folder / path.parent
        near = (str(path.parent / each.name) for each in parent.glob(f"*{path.suffix}"))
        return did_you_mean(str(path), near, "check the spelling and the folder you are in")
    if path.exists():
        return f"the command runs in the project: name it {path.resolve()}"
    return "the command runs in the project, so name files relative to it"
