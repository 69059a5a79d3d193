"""``ascendify run``: a launch on the emulated devices of this machine."""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from ascendify.emulation.audit import Audit, gather
from ascendify.emulation.environment import DEFAULT_SOC, Emulation
from ascendify.emulation.run_report import findings, report
from ascendify.errors import UsageError
from ascendify.jobs import emulated
from ascendify.jobs.plan import plan
from ascendify.jobs.run import JobResult, Supervision, check_project, check_supervision
from ascendify.jobs.run import run as run_job
from ascendify.processes.commands import read_python
from ascendify.processes.launchers import Launcher, find_launcher
from ascendify.reports.model import Report


@dataclass(frozen=True)
class RunRequest:
    """The options of ``ascendify run``."""

    command: tuple[str, ...]
    devices: int = 1
    project: Path = Path()
    """The folder of the user's files; the command runs in it."""
    strict: bool = False
    folder: Path | None = None
    """For the logs; None for a new one among the temporary files."""
    timeout: float | None = None
    all_ranks: bool = False
    """Whether the output of every rank is shown, and not only that of rank 0."""
    soc: str | None = None
    """The hardware; None for the usual one."""
    once: bool | None = None
    """Whether the command starts the ranks itself; None to find out."""
    audit: bool = False
    """Whether to count the operators that run on the device."""
    measure: bool = False
    """Whether to time steps."""
    emulate: bool = False
    """Whether to emulate although this machine has NPUs."""
    seed: int | None = None
    """For programs that choose no seed, to compute what verify does; None to leave that alone."""

    @property
    def supervision(self) -> Supervision:
        """Return how ranks are supervised: they share the CPU, so none is bound to cores."""
        show = tuple(range(self.devices)) if self.all_ranks else (0,)
        return Supervision(show, self.timeout, bind=False)


@dataclass(frozen=True)
class RunResult:
    """How the ranks exited, and what the stand-ins recorded."""

    request: RunRequest
    result: JobResult

    @property
    def _shared_ranks(self) -> int | None:
        """Return how many ranks share one file of findings; None if each has a file of its own."""
        return self.request.devices if self.result.job.once else None

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes for the user on how the NPU was emulated."""
        return emulated.describe_emulation(self.result.job)

    def audit(self) -> Audit:
        """Return one audit for all ranks: what they ran on the device."""
        job, project = self.result.job, self.result.job.project
        return gather(
            job.records("audit"),
            project,
            command=job.command,
            soc=self.request.soc or DEFAULT_SOC,
            devices=self.request.devices,
            seconds=self.result.outcome.seconds,
            findings=findings(job.records("findings"), project, ranks=self._shared_ranks),
        )

    def report(self, audit: Audit | None) -> Report:
        """Return the findings of strict mode: what a device would have refused.

        Raises:
            UsageError: the folder with the findings was removed meanwhile; they may have been any.
        """
        job = self.result.job
        if not job.folder.is_dir():
            raise UsageError(
                f"{job.folder}, with the findings of this run, was removed while it ran",
                "run it again, with --log-dir FOLDER that nothing else clears",
            )
        return report(job.records("findings"), job.project, ranks=self._shared_ranks, audit=audit)


def check(request: RunRequest, warn: Callable[[str], None]) -> None:
    """Refuse a command that cannot run, and warn about one that could not run on a real NPU.

    Raises:
        UsageError: what is wrong, and what to do.
    """
    if not request.command:
        raise UsageError("no command to run", "ascendify run -- python train.py")
    check_supervision(request.supervision, "emulation")
    check_project(request.project)
    if request.folder is not None and request.folder.exists() and not request.folder.is_dir():
        raise UsageError(f"--log-dir {request.folder} is not a folder", "name a folder")
    several = f"--devices {request.devices} " if request.devices > 1 else ""
    real = f"ascendify launch {several}-- {shlex.join(request.command)}"
    emulated.check(
        request.command,
        request.project,
        request.devices,
        request.soc,
        warn,
        emulate=request.emulate,
        real=real,
    )
    _check_launcher(request, find_launcher(request.command, request.project), warn)
    emulated.warn_of_count(request.devices, request.soc, warn)


def _check_launcher(
    request: RunRequest, launcher: Launcher | None, warn: Callable[[str], None]
) -> None:
    """Warn if a command starts another number of ranks than --devices says."""
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


def run(request: RunRequest, stream: BinaryIO | None) -> RunResult:
    """Run the ranks until they have exited, passing their output on; :func:`check` comes first.

    Raises:
        KeyboardInterrupt: on Ctrl-C, after all processes are stopped.
    """
    emulation = Emulation(
        soc=request.soc or DEFAULT_SOC,
        # an audit contains the findings of strict mode, whether they are shown or not
        strict=request.strict or request.audit,
        audit=request.audit,
        measure=request.measure,
    )
    requested = emulated.job_request(
        request.command,
        request.project,
        request.folder or Path(tempfile.mkdtemp(prefix="ascendify-run-")),
        request.devices,
        emulation,
        once=request.once,
        variables=_variables(request),
    )
    job = plan(requested, _with_neighbours(os.environ, request))
    return RunResult(request, run_job(job, request.supervision, stream))


def _variables(request: RunRequest) -> dict[str, str]:
    """Return a port for torchrun, and the variables that make random numbers those of ``verify``.

    With a variable of their own, users can have the separate streams of a real NPU.
    """
    chosen = emulated.torchrun_port()
    for name, value in emulated.SHARED_RANDOM.items():
        chosen[name] = os.environ.get(name, value)
    if request.seed is None:
        return chosen
    return {**chosen, **emulated.repeatable(request.seed, request.devices)}


def _with_neighbours(base: Mapping[str, str], request: RunRequest) -> dict[str, str]:
    """Return the environment with the interpreter's folder first on PATH.

    A script that runs with ``venv/bin/python`` and itself starts ``torchrun`` or ``python`` expects
    the programs of that environment.
    """
    program = request.command[0]
    if os.sep not in program or read_python(request.command) is None:
        return dict(base)
    folder = (request.project / program).parent.resolve()
    return {**base, "PATH": os.pathsep.join((str(folder), base.get("PATH", os.defpath)))}
