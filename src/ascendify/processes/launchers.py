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

from ascendify.processes.commands import read_python, shell_script

_PROGRAMS = {
    "torchrun": None,
    "torch_npu_run": None,
    "deepspeed": None,
    "accelerate": "launch",
    "accelerate-launch": None,
}
"""Programs that start ranks, and the word that must follow where they do other things as well."""
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
"""The first word of the command that a launcher starts, as its file name."""


@dataclass(frozen=True)
class Launcher:
    """Something that starts ranks."""

    name: str
    """As the user knows it, such as ``torchrun``."""
    how: str
    """Why we think so, as half a sentence: ``torchrun starts the ranks``."""
    certain: bool = False
    """Whether the command itself says so, and not a script it runs."""
    ranks: int | None = None
    """How many it starts on this server, where the command says a number."""


def find_launcher(command: Sequence[str], folder: Path) -> Launcher | None:
    """The launcher in a command, None when the command is one rank.

    Args:
        command: The program and its arguments.
        folder: Where it runs, for scripts that are named relative to it.
    """
    words = _without_environment(command)
    if not words:
        return None
    named = _program(words) or _module(words)
    if named is not None:
        how = f"{named} starts the ranks"
        return Launcher(named, how, certain=True, ranks=_count_ranks(words))
    script = shell_script(words)
    if script is None and words[0].endswith(".sh"):
        script = words[0]
    if script is not None:
        return _in_shell_script(folder / script)
    python = read_python(words)
    if python is not None and python.script is not None:
        return _in_python_script(folder / python.script)
    return None


def starts_ranks(command: Sequence[str], folder: Path, said: bool | None = None) -> bool:
    """Whether a command starts its ranks itself: what the user says, else what it looks like.

    Args:
        command: The program and its arguments; empty for none.
        folder: Where it runs.
        said: The user's own word; None for none.
    """
    return bool(command and find_launcher(command, folder)) if said is None else said


def strip_mpi_launcher(command: tuple[str, ...]) -> tuple[int | None, tuple[str, ...]]:
    """How many processes a launcher starts, and the command it starts them with."""
    launcher = find_mpi_launcher(command)
    if launcher is None:
        return None, command
    behind = command.index(launcher) + 1
    for number, word in enumerate(command[behind:], start=behind):
        if _LAUNCHED.match(Path(word).name):
            counts = [
                command[place + 1]
                for place in range(1, number)
                if command[place] in _MPI_COUNT and command[place + 1].isdigit()
            ]
            return (int(counts[0]) if counts else None), command[number:]
    return None, command


def find_mpi_launcher(command: tuple[str, ...]) -> str | None:
    """Horovod's or MPI's launcher at the beginning of a command; None without one."""
    return next((word for word in command[:2] if _MPI_LAUNCHER.search(word)), None)


def _without_environment(command: Sequence[str]) -> list[str]:
    """The command behind ``env A=1 B=2``."""
    words = list(command)
    if words and Path(words[0]).name == "env":
        del words[0]
        while words and ("=" in words[0] or words[0].startswith("-")):
            del words[0]
    return words


def _program(words: Sequence[str]) -> str | None:
    name = Path(words[0]).name
    if name not in _PROGRAMS:
        return None
    needed = _PROGRAMS[name]
    if needed is None:
        return name
    return f"{name} {needed}" if needed in words[1:2] else None


def _module(words: Sequence[str]) -> str | None:
    if read_python(words) is None or "-m" not in words[:-1]:
        return None
    module = words[list(words).index("-m") + 1]
    return f"python -m {module}" if module in _MODULES else None


def _count_ranks(words: Sequence[str]) -> int | None:
    for number, word in enumerate(words):
        if not _RANKS.match(word):
            continue
        value = word.partition("=")[2] or "".join(words[number + 1 : number + 2])
        return int(value) if value.isdigit() else None
    return None


def _in_shell_script(script: Path) -> Launcher | None:
    try:
        text = script.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None  # whoever starts it will say what is wrong with it
    found = _IN_SHELL.search(text)
    if found is None:
        return None
    name = " ".join(found[1].split())
    return Launcher(name, f"{script.name} starts the ranks with {name}")


def _in_python_script(script: Path) -> Launcher | None:
    try:
        tree = ast.parse(script.read_bytes())
    except (OSError, SyntaxError, ValueError):
        return None  # Python will say what is wrong with it
    bound = dict(_bound_names(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _dotted(node.func, bound) in _SPAWNING:
            how = f"{script.name} calls torch.multiprocessing.spawn (line {node.lineno})"
            return Launcher("torch.multiprocessing.spawn", how)
    return None


def _bound_names(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Local names and what imports bind them to, wherever in the file."""
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
