"""Decide who starts the ranks of an original: its launcher, the program itself, or we.

A launcher that is there is used as it is, and so is a program that spawns its ranks. Where
Horovod's launcher is missing, or where none is named although several ranks are wanted, we start
the ranks, and the stand-in for Horovod connects them. A Horovod that is installed always wins over
the stand-in: then only its own launcher will do. Ranks of a PyTorch program that names no launcher
are started the way torchrun does.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.processes.commands import read_python, run_program
from ascendify.processes.launchers import find_launcher

HOROVODRUN = "horovodrun"
_LAUNCHER = re.compile(r"(horovodrun|mpirun|mpiexec)$")
_COUNT = ("-np", "--num-proc", "-n")
_PROGRAM = re.compile(r"(python[\d.]*|.*\.py|.*\.sh|bash|sh)$")
_IMPORT = re.compile(rb"^[ \t]*(import|from)[ \t]+horovod\b", re.MULTILINE)
_PROCESS_GROUP = re.compile(
    rb"\binit_process_group\b|^[ \t]*(import|from)[ \t]+accelerate\b", re.MULTILINE
)
_NOT_THE_USERS = ("site-packages", "dist-packages", "node_modules", "__pycache__")
_ASK = (
    "import importlib.util as u, sys; spec = u.find_spec('horovod'); "
    "sys.exit(spec is None or not spec.has_location)"
)
"""A folder of that name which is no package does not count."""


@dataclass(frozen=True)
class OriginalLaunch:
    """What to start for the original."""

    command: tuple[str, ...]
    ranks: int = 1
    """How many of it; above 1, they are ranks of one job."""
    stand_in: bool = True
    """Whether a program that finds no Horovod finds our stand-in."""
    like_torchrun: bool = False
    """Whether the ranks get the variables of torchrun."""


def choose(command: tuple[str, ...], devices: int, project: Path) -> OriginalLaunch:
    """Decide who starts the original.

    Raises:
        UsageError: Horovod is installed, and its launcher cannot be found.
    """
    _, program = without_launcher(command)
    launcher = _launcher_in(command)
    if launcher is not None:
        is_there = shutil.which(launcher) is not None
        if program == command or (is_there and not _lacks_horovod(command, program, project)):
            return OriginalLaunch(command, stand_in=False)
    elif devices == 1 or find_launcher(command, project) is not None:
        return OriginalLaunch(command)
    elif not uses_horovod(project):
        if uses_process_groups(project):
            return OriginalLaunch(command, devices, like_torchrun=True)
        return OriginalLaunch(command)
    if not _has_horovod(program, project):
        return OriginalLaunch(program, devices)
    launcher = _launcher_of(program[0])
    if launcher is None:
        raise UsageError(
            f"Horovod is installed for {program[0]}, but {HOROVODRUN} is not found",
            f"put the folder of {HOROVODRUN} into PATH",
        )
    return OriginalLaunch((launcher, "-np", str(devices), *program), stand_in=False)


def without_launcher(command: tuple[str, ...]) -> tuple[int | None, tuple[str, ...]]:
    """How many processes a launcher starts, and the command it starts them with."""
    launcher = _launcher_in(command)
    if launcher is None:
        return None, command
    behind = command.index(launcher) + 1
    for number, word in enumerate(command[behind:], start=behind):
        if _PROGRAM.match(Path(word).name):
            counts = [
                command[place + 1]
                for place in range(1, number)
                if command[place] in _COUNT and command[place + 1].isdigit()
            ]
            return (int(counts[0]) if counts else None), command[number:]
    return None, command


def _launcher_in(command: tuple[str, ...]) -> str | None:
    return next((word for word in command[:2] if _LAUNCHER.search(word)), None)


def uses_horovod(project: Path) -> bool:
    """Whether a Python file of the project imports it."""
    return any(_IMPORT.search(path.read_bytes()) for path in _python_files(project))


def uses_process_groups(project: Path) -> bool:
    """Whether a Python file of the project joins a process group of PyTorch."""
    return any(_PROCESS_GROUP.search(path.read_bytes()) for path in _python_files(project))


def _python_files(project: Path) -> Iterator[Path]:
    for folder, folders, files in os.walk(project):
        folders[:] = [one for one in folders if one[0] != "." and one not in _NOT_THE_USERS]
        for name in files:
            path = Path(folder, name)
            if name.endswith(".py") and path.is_file():
                yield path


def _lacks_horovod(command: tuple[str, ...], program: tuple[str, ...], project: Path) -> bool:
    """Whether a launcher that is there could only start what fails at its import of Horovod."""
    if any("PYTHONPATH" in word for word in command[: len(command) - len(program)]):
        return False
    if read_python(program) is None or not uses_horovod(project):
        return False
    return not _has_horovod(program, project)


def _has_horovod(program: tuple[str, ...], project: Path) -> bool:
    """Whether the interpreter would find a Horovod; False when the program is no Python."""
    if read_python(program) is None:
        return False
    try:
        return run_program((program[0], "-c", _ASK), project).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def _launcher_of(python: str) -> str | None:
    """Horovod's launcher: the one next to the interpreter, or the one on PATH."""
    interpreter = shutil.which(python)
    beside = str(Path(interpreter).parent) if interpreter else None
    return (beside and shutil.which(HOROVODRUN, path=beside)) or shutil.which(HOROVODRUN)
