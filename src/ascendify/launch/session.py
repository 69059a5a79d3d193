"""One launch from the user's options to its result."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from ascendify.emulation.environment import Emulation
from ascendify.errors import UsageError
from ascendify.jobs import emulated
from ascendify.jobs.run import JobResult, Supervision
from ascendify.launch import engines, measuring, modelarts
from ascendify.launch.engines import Engine, EngineInput, HandedOver
from ascendify.launch.request import EVERY, LaunchRequest, plan_job, ranks_here


@dataclass(frozen=True)
class LaunchOptions:
    """How a job is launched: engine, output, measuring and copies."""

    engine: str = "local"
    engine_options: tuple[str, ...] = ()
    """``NAME=VALUE`` each."""
    supervision: Supervision = field(default_factory=Supervision)
    all_ranks: bool = False
    """Whether the output of every rank is shown, and not only that of the first."""
    emulate: bool = False
    measure: bool = False
    dry_run: bool = False
    data_url: str | None = None
    train_url: str | None = None


@dataclass(frozen=True)
class Launch:
    """A launch that is checked and ready to run."""

    engine: Engine
    input: EngineInput
    transfer: modelarts.Transfer | None

    @property
    def shown(self) -> tuple[int, ...]:
        """The ranks whose output is shown."""
        return self.input.supervision.show

    def dry_run(self) -> str:
        """Return the commands that would run, or the files that would be handed to a scheduler."""
        return self.engine.dry_run(self.input)

    def run(self) -> JobResult | HandedOver:
        """Run the job, or hand it over."""
        return self.engine.run(self.input)

    def copying(self) -> AbstractContextManager[None]:
        """Copy the job's data before the block and its output after it, if requested."""
        return modelarts.copying(self.transfer)


def prepare(
    request: LaunchRequest,
    options: LaunchOptions,
    stream: BinaryIO | None,
    warn: Callable[[str], None],
) -> Launch:
    """Plan the job and check that the engine can run it.

    Args:
        request: The job.
        options: How to launch it.
        stream: Where the shown ranks' output goes; None for nowhere.
        warn: Called with lines that the user should read.

    Raises:
        UsageError: what is wrong, and what to do.
    """
    engine = engines.find(options.engine)
    on_cpu = options.emulate and not options.dry_run
    request = replace(
        request,
        servers=engine.count_servers()
        if request.servers is None and engine.count_servers
        else request.servers,
        server=request.server or (EVERY if options.emulate else None),
        servers_unknown=engine.count_servers is not None,
        emulation=Emulation(measure=options.measure) if on_cpu else None,
    )
    job = plan_job(request, warn)
    if options.measure:
        measuring.check(job.command)
        job = job if on_cpu else measuring.with_measuring(job)
    transfer = None
    if options.data_url is not None or options.train_url is not None:
        _check_copies(engine)
        here = ranks_here(request, job)[0].server
        transfer = modelarts.new_transfer(options.data_url, options.train_url, job, here)
        job = modelarts.with_folders(job, transfer)
    ranks = job.ranks if engine.every_server else ranks_here(request, job)
    numbers = tuple(rank.number for rank in (job.ranks if options.all_ranks else ranks[:1]))
    given = EngineInput(
        job,
        ranks,
        replace(options.supervision, show=numbers),
        engines.options(engine, options.engine_options),
        stream,
        warn,
    )
    engine.check(given)
    if options.emulate:
        emulated.check(job.command, job.project, job.size, None, warn, emulate=True, real="")
    return Launch(engine, given, transfer)


def _check_copies(engine: Engine) -> None:
    """Refuse copies for other servers: the launcher copies only for its own server."""
    if engine.every_server:
        raise UsageError(
            f"--data_url and --train_url are copied by each server's own launcher, and the engine "
            f"{engine.name} starts ranks on others",
            "use --engine local on every server, with --server",
        )
