"""Decide from the user's options and the project's programs what the launch scripts run."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendify.cluster.inventory import MOST_DEVICES
from ascendify.errors import UsageError
from ascendify.launch.scaffold.options import ScriptOptions, read
from ascendify.launch.scaffold.writing import PYTORCH, TENSORFLOW, Scaffold, network_of
from ascendify.processes.launchers import starts_ranks
from ascendify.programs.program import Program, Programs


@dataclass(frozen=True)
class ScaffoldRequest:
    """The options of ``ascendify scaffold``; None stands for what is found in the project."""

    project: Path
    arguments: tuple[str, ...] = ()
    network: str | None = None
    batch_size: int | None = None
    data_option: str | None = None
    """Such as ``--data_dir``; ``none`` where the script takes no path."""
    batch_option: str | None = None
    full_arguments: str = ""
    performance_arguments: str | None = None
    python: str = "python3"
    servers: int = 2
    devices: int = 8
    """Devices of the scripts for several; 1 for scripts for one device only."""


def check(request: ScaffoldRequest) -> None:
    """Refuse options that make no sense.

    Raises: UsageError: what is wrong, and what to do.
    """
    if not request.project.is_dir():
        raise UsageError(
            f"{request.project} is not a folder", "name the folder of a migrated project"
        )
    if request.servers < 2:
        raise UsageError(f"--servers {request.servers} is no cluster", "give 2 or more")
    if not 1 <= request.devices <= MOST_DEVICES:
        raise UsageError(
            f"--devices {request.devices} are not those of a server", f"give 1 to {MOST_DEVICES}"
        )


def nothing_to_train(project: Path, programs: Programs) -> UsageError:
    """Return an error that no program trains, with the programs that were found."""
    if not programs.others:
        found = "no program was found"
    else:
        listed = ", ".join(f"{item.path} ({item.kind})" for item in programs.others[:5])
        more = len(programs.others) - 5
        found = f"found {listed}" + (f" and {more} more" if more > 0 else "")
    return UsageError(
        f"nothing in {project} trains: {found}", "if one does, name it with --program FILE"
    )


def plan(
    request: ScaffoldRequest, programs: Sequence[Program], framework: str
) -> tuple[Scaffold, ...]:
    """Plan a set of scripts for each program; those of the first are the project's main ones.

    Args:
        request: The user's options.
        programs: What to start, the most important first.
        framework: ``torch``, or another one.

    Raises:
        UsageError: an option cannot be read.
    """
    # options may be declared in modules that the programs import, and share
    paths = dict.fromkeys(path for program in programs for path in program.files)
    texts = {path: _text(request.project / path) for path in paths}
    return tuple(
        _plan(request, program, name, framework, read([texts[path] for path in program.files]))
        for program, name in zip(programs, _names(programs))
    )


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def _plan(
    request: ScaffoldRequest, program: Program, name: str, framework: str, known: ScriptOptions
) -> Scaffold:
    short = known.short
    if request.performance_arguments is not None:
        short = _split("--performance-args", request.performance_arguments)
    network = request.network or network_of(request.project)
    return Scaffold(
        network=f"{network}_{name}" if name else network,
        program=program,
        name=name,
        framework=PYTORCH if framework == "torch" else TENSORFLOW,
        python=request.python,
        data=_prefix(request.data_option, known.data),
        batch=_prefix(request.batch_option, known.batch),
        batch_size=request.batch_size or known.batch_size,
        batch_of_all=known.batch_of_all,
        common=request.arguments,
        full=_split("--full-args", request.full_arguments),
        performance=short,
        starts_ranks=starts_ranks(("python3", program.path), request.project),
        servers=request.servers,
        devices=request.devices,
    )


def warnings(project: Path, scaffolds: Sequence[Scaffold]) -> Iterator[str]:
    """Yield warnings about what the launch scripts cannot do for this project."""
    without = [
        item.program.path
        for item in scaffolds
        if item.framework == TENSORFLOW
        and not (project / item.program.path).with_name("npu_options.py").is_file()
    ]
    if without:
        yield (
            f"there is no npu_options.py beside {_listed(without)}, so switches such as "
            "--precision_mode do not reach it; migrate with an NPU option, such as "
            "--precision-mode, to have one"
        )
    alone = [item for item in scaffolds if item.devices > 1 and not item.program.averages]
    if alone:
        yield (
            f"nothing in {_listed([item.program.path for item in alone])} averages gradients: the "
            f"scripts for {alone[0].devices} devices would train a model on each device, apart "
            "from the others; they say so at their top. 'ascendify migrate --distributed' adds "
            "the averaging"
        )


def _listed(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - 3} more" if len(paths) > 3 else ""
    return ", ".join(paths[:3]) + more


def _names(programs: Sequence[Program]) -> Iterator[str]:
    """Yield the names of the sets of scripts: none for the first, then different ones."""
    taken = {"", "output"}
    for number, program in enumerate(programs):
        stem = program.path.rpartition(".")[0] or program.path
        name = re.sub(r"[^A-Za-z0-9]+", "_", stem).strip("_") if number else ""
        while number and name in taken:
            name = f"{name}_{number}"
        taken.add(name)
        yield name


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
