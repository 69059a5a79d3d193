"""Decide what the launch scripts of a project run, from the user's options and its sources."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.launch.scaffold.choosing import choose
from ascendify.launch.scaffold.options import read
from ascendify.launch.scaffold.writing import PYTORCH, TENSORFLOW, Scaffold, network_of
from ascendify.processes.launchers import starts_ranks


@dataclass(frozen=True)
class ScaffoldRequest:
    """The options of ``ascendify scaffold``; None for what is found in the project."""

    project: Path
    arguments: tuple[str, ...] = ()
    entry: str | None = None
    network: str | None = None
    batch_size: int | None = None
    data_option: str | None = None
    """Such as ``--data_dir``; ``none`` where the script takes no path."""
    batch_option: str | None = None
    full_arguments: str = ""
    performance_arguments: str | None = None
    python: str = "python3"
    servers: int = 2


def check(request: ScaffoldRequest) -> None:
    """Refuse options that make no sense.

    Raises:
        UsageError: what is wrong, and what to do.
    """
    if not request.project.is_dir():
        raise UsageError(
            f"{request.project} is not a folder", "name the folder of a migrated project"
        )
    if request.servers < 2:
        raise UsageError(f"--servers {request.servers} is no cluster", "give 2 or more")


def plan(
    request: ScaffoldRequest,
    *,
    framework: str,
    entry_points: Iterable[str],
    imported_by: Mapping[str, Iterable[str]],
) -> Scaffold:
    """Combine the user's options with what is known of the project.

    Args:
        request: The user's options.
        framework: ``torch``, or another one.
        entry_points: Scripts of the project that can be started.
        imported_by: Files of the project, each with the files that import it.

    Raises:
        UsageError: no script is known that trains, or an option cannot be read.
    """
    entry = _entry(request, entry_points)
    imported = [path for path, users in sorted(imported_by.items()) if entry in users]
    # options may be declared in modules that the script imports
    texts = [
        (request.project / path).read_text(encoding="utf-8", errors="replace")
        for path in (entry, *imported)
    ]
    known = read(texts)
    short = known.short
    if request.performance_arguments is not None:
        short = _split("--performance-args", request.performance_arguments)
    return Scaffold(
        network=request.network or network_of(request.project),
        entry=entry,
        framework=PYTORCH if framework == "torch" else TENSORFLOW,
        python=request.python,
        data=_prefix(request.data_option, known.data),
        batch=_prefix(request.batch_option, known.batch),
        batch_size=request.batch_size or known.batch_size,
        batch_of_all=known.batch_of_all,
        common=request.arguments,
        full=_split("--full-args", request.full_arguments),
        performance=short,
        starts_ranks=starts_ranks(("python3", entry), request.project),
        servers=request.servers,
    )


def warnings(request: ScaffoldRequest, scaffold: Scaffold) -> list[str]:
    """Return warnings about what the launch scripts cannot do in this project."""
    module = (request.project / scaffold.entry).with_name("npu_options.py")
    if scaffold.framework != TENSORFLOW or module.is_file():
        return []
    return [
        f"there is no npu_options.py beside {scaffold.entry}, so switches such as "
        "--precision_mode do not reach it; migrate with an NPU option, such as "
        "--precision-mode, to have one"
    ]


def _entry(request: ScaffoldRequest, entry_points: Iterable[str]) -> str:
    if request.entry is None:
        return choose(entry_points)
    if not (request.project / request.entry).is_file():
        raise UsageError(
            f"--entry {request.entry} does not exist in {request.project}", "name it from there"
        )
    return Path(request.entry).as_posix()


def _prefix(given: str | None, found: str | None) -> str | None:
    """Return the text before a value: ``--data_dir=``, or nothing for a positional argument."""
    if given is None:
        return found
    return None if given == "none" else f"{given}="


def _split(option: str, text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError as error:
        raise UsageError(f"{option} {text}: {error}", "quote it as a shell would") from error
