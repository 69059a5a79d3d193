"""Recognise commands that start the ranks of a PyTorch job themselves: they are started only once.

Launchers are recognised by their name, in a command line and in a shell script; a script that
calls ``torch.multiprocessing.spawn`` is recognised by reading it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendify.processes.commands import is_shell_text, read_python, shell_script

_PROGRAMS = {
    "torchrun": None,
    "torch_npu_run": None,
    "deepspeed": None,
    "accelerate": "launch",
    "accelerate-launch": None,
}
"""Programs that start ranks; if only a subcommand does so, with that subcommand."""
_MODULES = frozenset(
    {
        "torch.distributed.run",
        "torch.distributed.launch",
        "torch.distributed.elastic",
        "accelerate.commands.launch",
        "accelerate.commands.accelerate_cli",
        "deepspeed.launcher.runner",
        "deepspeed.launcher.launch",
    }
)
_SPAWNING = frozenset(
    {"torch.multiprocessing.spawn", "torch.multiprocessing.start_processes"}
    | {"torch.multiprocessing.spawn.spawn", "torch.multiprocessing.spawn.start_processes"}
)
_RANKS = re.compile(
    r"--(?:nproc[-_]per[-_]node|num[-_]processes|num[-_]gpus)(?:[= ]|$)|-(?:nproc_per_node)"
)
_IN_SHELL = re.compile(
    r"^[^#\n]*?(?<![\w./-])(?:[\w./~$\{\}-]*/)?"
    r"(torchrun|torch_npu_run|deepspeed|accelerate\s+launch"
    r"|python[\d.]*\s+-m\s+(?:torch\.distributed\.(?:run|launch)|accelerate\.commands\.launch))"
    r"(?![\w.-])",
    re.MULTILINE,
)

_MPI_LAUNCHER = re.compile(r"(horovodrun|mpirun|mpiexec)$")
_MPI_COUNT = ("-np", "--num-proc", "-n")
_LAUNCHED = re.compile(r"(python[\d.]*|.*\.py|.*\.sh|bash|sh)$")
"""Pattern for the first argument of the command that a launcher starts."""


@dataclass(frozen=True)
class Launcher:
    """A launcher that a command uses to start ranks."""

    name: str
    """Its name for users, such as ``torchrun``."""
    how: str
    """The reason, as a clause for messages: ``torchrun starts the ranks``."""
    certain: bool = False
    """Whether the launcher is in the command itself, not in a script it runs."""
    ranks: int | None = None
    """How many ranks the command starts on this server, where it says so."""


def find_launcher(command: Sequence[str], folder: Path) -> Launcher | None:
    """Find the launcher in a command; None if the command is a single rank.

    Args:
        command: The program and its arguments.
        folder: Where it runs, for scripts that are named relative to it.
    """
    arguments = _without_environment(command)
    if not arguments:
        return None
    named = _program(arguments) or _module(arguments)
    if named is not None:
        how = f"{named} starts the ranks"
        return Launcher(named, how, certain=True, ranks=_count_ranks(arguments))
    if is_shell_text(arguments):
        return _in_shell_text(arguments[2])
    script = shell_script(arguments)
    if script is None and arguments[0].endswith(".sh"):
        script = arguments[0]
    if script is not None:
        return _in_shell_script(folder / script)
    python = read_python(arguments)
    if python is not None and python.script is not None:
        return _in_python_script(folder / python.script)
    return None


def starts_ranks(command: Sequence[str], folder: Path, said: bool | None = None) -> bool:
    """Whether a command starts its ranks itself: as the user says, else as recognised.

    Args:
        command: The program and its arguments; empty for none.
        folder: Where it runs.
        said: What the user says; None to recognise the command.
    """
    return bool(command and find_launcher(command, folder)) if said is None else said


def strip_mpi_launcher(command: tuple[str, ...]) -> tuple[int | None, tuple[str, ...]]:
    """Return how many processes a launcher starts, and the command that it starts."""
    launcher = find_mpi_launcher(command)
    if launcher is None:
        return None, command
    behind = command.index(launcher) + 1
    for number, argument in enumerate(command[behind:], start=behind):
        if _LAUNCHED.match(Path(argument).name):
            counts = [
                command[place + 1]
                for place in range(1, number)
                if command[place] in _MPI_COUNT and command[place + 1].isdigit()
            ]
            return (int(counts[0]) if counts else None), command[number:]
    return None, command


def find_mpi_launcher(command: tuple[str, ...]) -> str | None:
    """Find Horovod's or MPI's launcher at the beginning of a command; None without one."""
    return next((argument for argument in command[:2] if _MPI_LAUNCHER.search(argument)), None)


def _without_environment(command: Sequence[str]) -> list[str]:
    """Return the command after ``env A=1 B=2``."""
    arguments = list(command)
    if arguments and Path(arguments[0]).name == "env":
        del arguments[0]
        while arguments and ("=" in arguments[0] or arguments[0].startswith("-")):
            del arguments[0]
    return arguments


def _program(arguments: Sequence[str]) -> str | None:
    name = Path(arguments[0]).name
    if name not in _PROGRAMS:
        return None
    needed = _PROGRAMS[name]
    if needed is None:
        return name
    return f"{name} {needed}" if needed in arguments[1:2] else None


def _module(arguments: Sequence[str]) -> str | None:
    if read_python(arguments) is None or "-m" not in arguments[:-1]:
        return None
    module = arguments[list(arguments).index("-m") + 1]
    return f"python -m {module}" if module in _MODULES else None


def _count_ranks(arguments: Sequence[str]) -> int | None:
    for number, argument in enumerate(arguments):
        if not _RANKS.match(argument):
            continue
        value = argument.partition("=")[2] or "".join(arguments[number + 1 : number + 2])
        return int(value) if value.isdigit() else None
    return None


def _in_shell_text(text: str) -> Launcher | None:
    """Find a launcher in the text of ``sh -c "cd src && torchrun train.py"``."""
    found = _IN_SHELL.search(text)
    if found is None:
        return None
    name = " ".join(found[1].split())
    ranks = _count_ranks(text[found.end() :].split())
    return Launcher(name, f"{name} starts the ranks", certain=True, ranks=ranks)


def _in_shell_script(script: Path) -> Launcher | None:
    try:
        text = script.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None  # starting it will report what is wrong with it
    found = _IN_SHELL.search(text)
    if found is None:
        return None
    name = " ".join(found[1].split())
    return Launcher(name, f"{script.name} starts the ranks with {name}")


def _in_python_script(script: Path) -> Launcher | None:
    try:
        source = script.read_bytes()
        if b"torch" not in source:
            return None
        tree = ast.parse(source)
    except (OSError, SyntaxError, ValueError):
        return None  # Python will report what is wrong with it
    bound = dict(_bound_names(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _dotted(node.func, bound) in _SPAWNING:
            how = f"{script.name} calls torch.multiprocessing.spawn (line {node.lineno})"
            return Launcher("torch.multiprocessing.spawn", how)
    return None


def _bound_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield each local name and the import that binds it, in the whole file."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.asname:
                    yield alias.asname, alias.name
                else:
                    first = alias.name.partition(".")[0]
                    yield first, first
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                yield alias.asname or alias.name, f"{node.module}.{alias.name}"


def _dotted(node: ast.expr, bound: dict[str, str]) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id not in bound:
        return ""
    return ".".join((bound[node.id], *reversed(parts)))
