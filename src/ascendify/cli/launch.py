"""``ascendify launch``: start a training command on one device, eight, or many servers."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ascendify.cli import told
from ascendify.cli.output import warn

if TYPE_CHECKING:
    from ascendify.launch.engines import Engine
    from ascendify.launch.local import Finished
    from ascendify.launch.plan import Rank

_JOB = "Job"
_RUN = "Running"
_MODELARTS = "ModelArts"


def command(
    command_line: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="-- COMMAND...",
            help="What to run, such as: python train.py --epochs 90",
            show_default=False,
        ),
    ] = None,
    *,
    engine: Annotated[
        str,
        typer.Option(
            "--engine", "-e", metavar="NAME", rich_help_panel=_JOB, help="What starts the ranks."
        ),
    ] = "local",
    engine_options: Annotated[
        Optional[list[str]],
        typer.Option(
            "-O", metavar="NAME=VALUE", rich_help_panel=_JOB, help="An option of the engine."
        ),
    ] = None,
    devices: Annotated[
        Optional[str],
        typer.Option(
            "--devices",
            "-n",
            metavar="N|LIST",
            rich_help_panel=_JOB,
            help="Devices of each server: how many, or which (0-3, or 4,5,6,7).",
            show_default="1",
        ),
    ] = None,
    servers: Annotated[
        Optional[int],
        typer.Option("--servers", metavar="N", rich_help_panel=_JOB, help="How many servers."),
    ] = None,
    hosts: Annotated[
        Optional[str],
        typer.Option(
            "--hosts", metavar="LIST", rich_help_panel=_JOB, help="Servers: node1:8,node2:8."
        ),
    ] = None,
    inventory: Annotated[
        Optional[Path],
        typer.Option(
            "--inventory", metavar="FILE", rich_help_panel=_JOB, help="Servers, from a file."
        ),
    ] = None,
    rank_table: Annotated[
        Optional[Path],
        typer.Option(
            "--rank-table",
            metavar="FILE",
            rich_help_panel=_JOB,
            help="Use this rank table instead of making one.",
        ),
    ] = None,
    no_rank_table: Annotated[
        bool,
        typer.Option(
            "--no-rank-table",
            rich_help_panel=_JOB,
            help="Let the ranks find each other through a chief (CM_CHIEF_IP), without a table.",
        ),
    ] = False,
    server: Annotated[
        Optional[str],
        typer.Option(
            "--server",
            metavar="NAME|NUMBER",
            rich_help_panel=_JOB,
            help="Which of several servers this is; its ranks are started. all: every one.",
        ),
    ] = None,
    hardware: Annotated[
        Optional[str],
        typer.Option(
            "--hardware",
            metavar="NAME",
            rich_help_panel=_JOB,
            help="910A, 910B, A3 or 950: check that such servers can run the job.",
        ),
    ] = None,
    name: Annotated[
        str, typer.Option("--name", metavar="JOB_ID", rich_help_panel=_JOB, help="Of the job.")
    ] = "",
    port: Annotated[
        Optional[int],
        typer.Option(
            "--port", metavar="N", rich_help_panel=_JOB, help="Where rank 0 listens (MASTER_PORT)."
        ),
    ] = None,
    env: Annotated[
        Optional[list[str]],
        typer.Option(
            "--env",
            metavar="NAME=VALUE",
            rich_help_panel=_JOB,
            help="Set a variable for every rank; may be given several times.",
        ),
    ] = None,
    once: Annotated[
        Optional[bool],
        typer.Option(
            "--once/--no-once",
            rich_help_panel=_JOB,
            help="Start the command once a server: it starts the ranks by itself.",
            show_default="once for torchrun, accelerate launch, mp.spawn; else one per device",
        ),
    ] = None,
    data_url: Annotated[
        Optional[str],
        typer.Option(
            "--data_url",
            "--data-url",
            metavar="URL",
            rich_help_panel=_MODELARTS,
            help="Copy the data from here first; {data} in the command is the copy.",
        ),
    ] = None,
    train_url: Annotated[
        Optional[str],
        typer.Option(
            "--train_url",
            "--train-url",
            metavar="URL",
            rich_help_panel=_MODELARTS,
            help="Copy what the command writes to {output}, and the logs, here at the end.",
        ),
    ] = None,
    project: Annotated[
        Path,
        typer.Option("--project", metavar="FOLDER", help="Your files; the command runs there."),
    ] = Path(),
    log_dir: Annotated[
        Optional[Path],
        typer.Option(
            "--log-dir",
            metavar="FOLDER",
            help="Write the ranks' logs here.",
            show_default="logs/ and the job's name, in the project",
        ),
    ] = None,
    timeout: Annotated[
        Optional[float],
        typer.Option(
            "--timeout", metavar="SECONDS", rich_help_panel=_RUN, help="Stop after that time."
        ),
    ] = None,
    grace: Annotated[
        float,
        typer.Option(
            "--grace",
            metavar="SECONDS",
            rich_help_panel=_RUN,
            help="Between asking ranks to end and ending them.",
        ),
    ] = 5.0,
    max_restarts: Annotated[
        int,
        typer.Option(
            "--max-restarts", metavar="N", rich_help_panel=_RUN, help="Start again on failure."
        ),
    ] = 0,
    bind_cores: Annotated[
        bool,
        typer.Option(
            "--bind-cores/--no-bind-cores",
            rich_help_panel=_RUN,
            help="Give each rank cores of its own, where there are enough.",
        ),
    ] = True,
    all_ranks: Annotated[
        bool,
        typer.Option(
            "--all-ranks", "-a", rich_help_panel=_RUN, help="Show what every rank prints."
        ),
    ] = False,
    emulate: Annotated[
        bool,
        typer.Option(
            "--emulate",
            rich_help_panel=_RUN,
            help="Without NPUs: run on the CPU, with stand-ins for the NPU's packages.",
        ),
    ] = False,
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            rich_help_panel=_RUN,
            help="Write down every training step (measure-RANK.jsonl, beside the logs).",
        ),
    ] = False,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run", rich_help_panel=_RUN, help="Print what would be started, and where."
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Do not show what ranks print.")
    ] = False,
) -> None:
    """Start a training command as the ranks of a job: rank table, environment, logs, supervision.

    Exit code 0: all is well, 2: it could not start, 3: a rank failed, 4: the time was up.
    """
    from ascendify.cluster import npus
    from ascendify.launch import asked, engines, local, measuring, modelarts, stand_ins
    from ascendify.launch.plan import environment

    if emulate:
        left_alone = npus.check_emulated_on_purpose(emulate, "")
        if left_alone:
            warn(left_alone)
    chosen = engines.find(engine)

    job = asked.Job(
        command=tuple(command_line or ()),
        devices=devices,
        servers=chosen.found() if servers is None and chosen.found else servers,
        hosts=hosts,
        inventory=inventory,
        rank_table=rank_table,
        by_chief=no_rank_table,
        server=server or (asked.EVERY if emulate else None),
        hardware=hardware,
        name=name,
        port=port,
        variables=tuple(env or ()),
        once=once,
        project=project,
        folder=log_dir,
        later=chosen.found is not None,
    )
    plan = asked.plan(job, warn)
    if measure:
        plan = measuring.measured(plan)
    visit = None
    if data_url is not None or train_url is not None:
        _check_copies(chosen)
        here = asked.ranks_here(job, plan)[0].server
        visit = modelarts.visit(data_url, train_url, plan, here)
        plan = modelarts.placed(plan, visit)
    ranks = plan.ranks if chosen.every_server else asked.ranks_here(job, plan)
    watch = local.Watch(
        show=tuple(rank.number for rank in plan.ranks) if all_ranks else (ranks[0].number,),
        timeout=timeout,
        grace=grace,
        max_restarts=max_restarts,
        bind=bind_cores,
    )
    order = engines.Order(
        plan,
        ranks,
        watch,
        engines.options(chosen, tuple(engine_options or ())),
        stream=None if quiet else sys.stdout.buffer,
        given=stand_ins.environment_of(plan) if emulate and not dry_run else environment,
        told=warn,
    )
    chosen.check(order)
    if dry_run:
        print(chosen.shown(order), end="")
        return
    sys.stdout.flush()
    with modelarts.copied(visit):
        finished = chosen.run(order)
        if isinstance(finished, engines.Handed):
            told.say(finished.text)
            return
        _tell(finished, shown=() if quiet else watch.show)
    raise typer.Exit(_code(finished))


def _check_copies(engine: "Engine") -> None:
    """The launcher copies for its own server only."""
    from ascendify.errors import UsageError

    if engine.every_server:
        raise UsageError(
            f"--data_url and --train_url are copied by each server's own launcher, and the engine "
            f"{engine.name} starts ranks on others",
            "use --engine local on every server, with --server",
        )


def _tell(finished: "Finished", shown: tuple[int, ...]) -> None:
    outcome, rank = finished.outcome, finished.failed_rank
    if finished.failure is not None and rank is not None:
        told.failure(
            finished.failure,
            _named(finished, rank),
            among_others=len(finished.ranks) > 1,
            others_stopped=any(ending.stopped for ending in outcome.endings),
            already_shown=rank.number in shown,
        )
        if finished.disk_full:
            told.say(f"hint: the disk of {finished.plan.folder} is full, so logs may end early")
    elif outcome.timed_out:
        told.time_out(outcome, [rank.number for rank in finished.ranks], finished.plan.log)
    told.left_behind(outcome)
    count = len(finished.ranks)
    ranks = "the command" if finished.plan.once else f"{count} rank{'s' * (count > 1)}"
    told.ended(outcome, ranks, finished.plan.folder)


def _named(finished: "Finished", rank: "Rank") -> str:
    """A rank, and its server where there are several."""
    servers = finished.plan.inventory.servers
    server = servers[rank.server]
    where = f" on {server.host or server.id}" if len(servers) > 1 else ""
    return f"rank {rank.number}{where}"


def _code(finished: "Finished") -> int:
    if finished.outcome.timed_out:
        return told.TIMED_OUT
    return 0 if finished.outcome.succeeded else told.SCRIPT_FAILED
