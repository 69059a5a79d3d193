"""Decide who starts the ranks of the original project: its launcher, the program, or ascendify.

A launcher that is there is used as it is, and so is a program that spawns its ranks. Where
Horovod's launcher is missing, or where none is named although several ranks are wanted, we start
the ranks, and the stand-in for Horovod connects them. A Horovod that is installed always wins over
the stand-in: then only its own launcher will do. Ranks of a PyTorch program that names no launcher
are started the way torchrun does.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.processes.commands import read_python, run_program
from ascendify.processes.launchers import find_mpi_launcher, starts_ranks, strip_mpi_launcher
from ascendify.verify.project_files import files_of, is_python

HOROVODRUN = "horovodrun"
_IMPORT = re.compile(rb"^[ \t]*(import|from)[ \t]+horovod\b", re.MULTILINE)
_PROCESS_GROUP = re.compile(
    rb"\b(init_process_group|init_device_mesh|LOCAL_RANK)\b|^[ \t]*(import|from)[ \t]+accelerate\b",
    re.MULTILINE,
)
"""What only programs have that join a process group, or take their rank from the environment."""
_FIND_HOROVOD = (
    "import importlib.util as u, sys; spec = u.find_spec('horovod'); "
    "sys.exit(spec is None or not spec.has_location)"
)
"""A program that fails where Horovod is not installed; a folder of that name does not count."""


@dataclass(frozen=True)
class OriginalLaunch:
    """How the original is started."""

    command: tuple[str, ...]
    ranks: int = 1
    """How many processes to start; if more than one, they are ranks of one job."""
    stand_in: bool = True
    """Whether our stand-in for Horovod is used where Horovod is not installed."""
    like_torchrun: bool = False
    """Whether the ranks get the variables of torchrun."""


def choose_launch(
    command: tuple[str, ...], devices: int, project: Path, once: bool | None = None
) -> OriginalLaunch:
    """Decide who starts the original.

    Args:
        command: What the user gives.
        devices: How many ranks there are.
        project: The folder that it runs in.
        once: Whether it starts the ranks itself; None to find out.

    Raises:
        UsageError: Horovod is installed, and its launcher cannot be found.
    """
    _, program = strip_mpi_launcher(command)
    launcher = find_mpi_launcher(command)
    if launcher is not None:
        is_there = shutil.which(launcher) is not None
        if program == command or (is_there and not _lacks_horovod(command, program, project)):
            return OriginalLaunch(command, stand_in=False)
    elif devices == 1 or starts_ranks(command, project, once):
        return OriginalLaunch(command)
    elif not uses_horovod(project):
        if once is False or uses_process_groups(project):
            return OriginalLaunch(command, devices, like_torchrun=True)
        return OriginalLaunch(command)
    if not _has_horovod(program, project):
        return OriginalLaunch(program, devices)
    launcher = _horovodrun_of(program[0])
    if launcher is None:
        raise UsageError(
            f"Horovod is installed for {program[0]}, but {HOROVODRUN} is not found",
            f"put the folder of {HOROVODRUN} into PATH",
        )
    return OriginalLaunch((launcher, "-np", str(devices), *program), stand_in=False)


def uses_horovod(project: Path) -> bool:
    """Whether a Python file of the project imports Horovod."""
    return any(_IMPORT.search(path.read_bytes()) for path in files_of(project, is_python))


def uses_process_groups(project: Path) -> bool:
    """Whether a Python file of the project joins a process group of PyTorch."""
    return any(_PROCESS_GROUP.search(path.read_bytes()) for path in files_of(project, is_python))


def joins_ranks(files: Iterable[Path]) -> bool:
    """Whether one of these files imports Horovod or joins a process group of PyTorch."""
    texts = (path.read_bytes() for path in files if path.is_file())
    return any(_IMPORT.search(text) or _PROCESS_GROUP.search(text) for text in texts)


def _lacks_horovod(command: tuple[str, ...], program: tuple[str, ...], project: Path) -> bool:
    """Whether what an existing launcher starts would fail at its import of Horovod."""
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
        return run_program((program[0], "-c", _FIND_HOROVOD), project).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False


def _horovodrun_of(python: str) -> str | None:
    """Horovod's launcher: the one next to the interpreter, or the one on PATH."""
    interpreter = shutil.which(python)
    beside = str(Path(interpreter).parent) if interpreter else None
    return (beside and shutil.which(HOROVODRUN, path=beside)) or shutil.which(HOROVODRUN)
