"""``ascendify launch``: start a training command on one device, eight, or many servers."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import sys
from pathlib import Path

import typer

from ascendify.cli import job_output
from ascendify.cli import launch_options as options
from ascendify.cli.output import warn


def command(
    command_line: options.Command = None,
    *,
    engine: options.EngineName = "local",
    engine_options: options.EngineOptions = None,
    devices: options.Devices = None,
    servers: options.Servers = None,
    hosts: options.Hosts = None,
    inventory: options.Inventory = None,
    rank_table: options.RankTable = None,
    no_rank_table: options.ByChief = False,
    server: options.Server = None,
    hardware: options.Hardware = None,
    name: options.JobName = "",
    port: options.Port = None,
    env: options.Variables = None,
    once: options.Once = None,
    data_url: options.DataUrl = None,
    train_url: options.TrainUrl = None,
    project: options.Project = Path(),
    log_dir: options.LogFolder = None,
    timeout: options.Timeout = None,
    grace: options.Grace = 5.0,
    max_restarts: options.MaxRestarts = 0,
    bind_cores: options.BindCores = True,
    all_ranks: options.AllRanks = False,
    emulate: options.Emulate = False,
    measure: options.Measure = False,
    dry_run: options.DryRun = False,
    quiet: options.Quiet = False,
) -> None:
    """Start a training command as the ranks of a job: rank table, environment, logs, supervision.

    Exit code 0: all is well, 2: it could not start, 3: a rank failed, 4: the time was up.
    """
    from ascendify.jobs.run import Supervision
    from ascendify.launch.engines import HandedOver
    from ascendify.launch.request import LaunchRequest
    from ascendify.launch.session import LaunchOptions, prepare

    request = LaunchRequest(
        command=tuple(command_line or ()),
        devices=devices,
        servers=servers,
        hosts=hosts,
        inventory=inventory,
        rank_table=rank_table,
        by_chief=no_rank_table,
        server=server,
        hardware=hardware,
        name=name,
        port=port,
        variables=tuple(env or ()),
        once=once,
        project=project,
        folder=log_dir,
    )
    launch_options = LaunchOptions(
        engine=engine,
        engine_options=tuple(engine_options or ()),
        supervision=Supervision((), timeout, grace, max_restarts, bind_cores),
        all_ranks=all_ranks,
        emulate=emulate,
        measure=measure,
        dry_run=dry_run,
        data_url=data_url,
        train_url=train_url,
    )
    launch = prepare(request, launch_options, None if quiet else sys.stdout.buffer, warn)
    if dry_run:
        print(launch.dry_run(), end="")
        return
    sys.stdout.flush()
    with launch.copying():
        result = launch.run()
        if isinstance(result, HandedOver):
            job_output.say(result.text)
            return
        job_output.show(result, shown=() if quiet else launch.shown)
    raise typer.Exit(job_output.exit_code(result))
