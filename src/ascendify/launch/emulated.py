"""Run a script as the ranks of an NPU job, on a CPU."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ascendify.cluster import npus
from ascendify.emulation import ways
from ascendify.emulation.environment import (
    DEFAULT_SOC,
    Job,
    check_soc,
    check_torch_npu,
    hardware_allows,
    new_job,
    rank_environment,
)
from ascendify.emulation.failures import (
    OLDEST_PYTHON,
    explain,
    is_consequence,
    without_libraries,
)
from ascendify.errors import UsageError
from ascendify.launch.failure import Failure, blame
from ascendify.processes import Outcome, Process, Tail, run_all, supported
from ascendify.processes.commands import check_command, python_version, read_python
from ascendify.processes.launchers import Launcher, find_launcher


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    command: tuple[str, ...]
    devices: int = 1
    project: Path = Path()
    """The folder of the user's files; the command runs in it."""
    strict: bool = False
    folder: Path | None = None
    """For the logs; None for a new one among the temporary files."""
    timeout: float | None = None
    show: tuple[int, ...] = (0,)
    """The ranks whose output is passed on."""
    soc: str | None = None
    """The hardware; None for the usual one."""
    once: bool | None = None
    """Whether the command starts the ranks by itself; None to find out."""
    audit: bool = False
    """Whether to count what runs."""
    measure: bool = False
    """Whether to time steps."""
    emulate: bool = False
    """Whether to leave the NPUs of this machine alone, where it has some."""


@dataclass(frozen=True)
class Finished:
    """What came of a run."""

    job: Job
    outcome: Outcome
    failure: Failure | None

    @property
    def findings_files(self) -> tuple[Path, ...]:
        """What the stand-ins wrote, rank by rank; a file that is missing means nothing found."""
        return tuple(self.job.findings(rank) for rank in range(self.job.processes))

    @property
    def shared_ranks(self) -> int | None:
        """How many ranks share one file of findings; None when each has its own."""
        return self.job.devices if self.job.once else None

    @property
    def ways(self) -> tuple[str, ...]:
        """What to tell of how the NPU was emulated; empty where nobody notices it."""
        files = (self.job.emulation(rank) for rank in range(self.job.processes))
        return ways.worth_telling(ways.read(files))

    @property
    def audit_files(self) -> tuple[Path, ...]:
        """What the processes did; one that is missing did nothing that is counted."""
        return tuple(self.job.audited(rank) for rank in range(self.job.processes))


def check(request: Request, warn: Callable[[str], None]) -> None:
    """Refuse what cannot run, and warn of what could not on a real machine.

    Raises:
        UsageError: what is wrong, and what to do.
    """
    if not supported():
        raise UsageError("emulation needs Linux or macOS", "on Windows, use it inside WSL 2")
    if not request.command:
        raise UsageError("no command to run", "ascendify run -- python train.py")
    if request.devices < 1:
        raise UsageError(f"--devices {request.devices} leaves nothing to run", "give 1 or more")
    if request.timeout is not None and request.timeout <= 0:
        raise UsageError(f"--timeout {request.timeout:g} is over at once", "give seconds above 0")
    if not request.project.is_dir():
        raise UsageError(f"--project {request.project} is not a folder", "name a folder")
    if request.folder is not None and request.folder.exists() and not request.folder.is_dir():
        raise UsageError(f"--log-dir {request.folder} is not a folder", "name a folder")
    check_soc(request.soc)
    check_torch_npu()
    left_alone = npus.check_emulated_on_purpose(request.emulate, _on_the_npu(request))
    if left_alone:
        warn(left_alone)
    _check_interpreter(request)
    _check_launcher(request, find_launcher(request.command, request.project), warn)
    if not hardware_allows(request.devices, request.soc):
        warn(
            f"a job on Atlas training servers has 1, 2, 4 or 8 devices, or a multiple of 8; "
            f"{request.devices} run only here"
        )


def _on_the_npu(request: Request) -> str:
    """The command that trains on the NPUs of this machine what would be emulated."""
    several = f"--devices {request.devices} " if request.devices > 1 else ""
    return f"ascendify launch {several}-- {shlex.join(request.command)}"


def _check_launcher(
    request: Request, launcher: Launcher | None, warn: Callable[[str], None]
) -> None:
    """Warn of a command whose number of ranks and --devices do not go together."""
    if launcher is None:
        return
    if request.once is False and request.devices > 1:
        warn(f"{launcher.how}, and --no-once starts that {request.devices} times")
    elif request.once is None and request.devices > 1 and not launcher.certain:
        warn(f"{launcher.how}, so the command is started once; --no-once starts one per device")
    if launcher.ranks is not None and launcher.ranks > request.devices:
        warn(
            f"{launcher.name} starts {launcher.ranks} ranks and there "
            f"{'is 1 device' if request.devices == 1 else f'are {request.devices} devices'}; "
            f"--devices {launcher.ranks} gives each rank its own"
        )


def starts_once(request: Request) -> bool:
    """Whether one process is started that starts the ranks by itself."""
    if request.once is not None:
        return request.once
    return find_launcher(request.command, request.project) is not None


def _check_interpreter(request: Request) -> None:
    python = check_command(request.command, request.project, os.environ)
    if python is None:
        return
    program = request.command[0]
    if python.ignores_environment:
        raise UsageError(
            f"{program} is told to ignore PYTHONPATH, which leads it to the stand-ins",
            "leave out -I and -E",
        )
    version = python_version(program, request.project, os.environ)
    if version is not None and version < OLDEST_PYTHON:
        raise UsageError(
            f"{program} is Python {version[0]}.{version[1]}; the emulation needs 3.6 or newer",
            "name the interpreter of an environment with TensorFlow 1.15, which is Python 3.7",
        )


def run(request: Request, stream: BinaryIO | None) -> Finished:
    """Run the ranks to their end, passing their output on; see :func:`check` for what may go wrong.

    Raises:
        KeyboardInterrupt: somebody interrupted it; nothing of it is left.
    """
    folder = request.folder or Path(tempfile.mkdtemp(prefix="ascendify-run-"))
    job = new_job(
        request.devices,
        request.project,
        folder,
        # an audit holds what strict mode finds, whether it is shown or not
        strict=request.strict or request.audit,
        soc=request.soc or DEFAULT_SOC,
        once=starts_once(request),
        audit=request.audit,
        measure=request.measure,
    )
    base = _with_neighbours(os.environ, request)
    ranks = [
        Process(request.command, rank_environment(job, rank, base), job.project, job.log(rank))
        for rank in range(job.processes)
    ]
    shown = tuple(rank for rank in request.show if rank < job.processes)
    tail = _tail(job, shown, stream) if stream is not None else None
    outcome = run_all(ranks, tail=tail, timeout=request.timeout)
    return Finished(job, outcome, _failure(outcome))


def _with_neighbours(base: Mapping[str, str], request: Request) -> dict[str, str]:
    """The environment with the programs beside the interpreter found first.

    A script that is run with ``venv/bin/python`` and itself starts ``torchrun`` or ``python`` means
    those of the same environment.
    """
    program = request.command[0]
    if os.sep not in program or read_python(request.command) is None:
        return dict(base)
    folder = (request.project / program).parent.resolve()
    return {**base, "PATH": os.pathsep.join((str(folder), base.get("PATH", os.defpath)))}


def _tail(job: Job, shown: tuple[int, ...], stream: BinaryIO) -> Tail:
    width = len(str(job.devices - 1))
    prefixes = [f"[{rank:{width}}] " for rank in shown] if len(shown) > 1 else None
    return Tail([job.log(rank) for rank in shown], stream, prefixes)


def _failure(outcome: Outcome) -> Failure | None:
    return blame(outcome, is_consequence=is_consequence, explain=explain, shorten=without_libraries)
