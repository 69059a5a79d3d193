"""``ascendify port``: the whole port of a project in one command, and its update."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import sys
from pathlib import Path
from typing import Annotated, Optional

import typer

from ascendify.cli import npu as npu_options
from ascendify.cli import options
from ascendify.cli.output import Output, warn, write_folder
from ascendify.cli.progress import progress

NOT_READY = 1


@npu_options.with_npu_flags
def command(
    project: Annotated[Path, typer.Argument(metavar="PROJECT", help="The project for GPUs.")],
    *,
    output: Annotated[
        Optional[Path],
        typer.Option(
            "--output",
            "-o",
            metavar="FOLDER",
            help="Where to write the port, or the port to update.",
            show_default="PROJECT_npu",
        ),
    ] = None,
    devices: Annotated[
        Optional[int],
        typer.Option(
            "--devices",
            "-n",
            metavar="N",
            help="Devices of a server to train on; 1: do not make it data-parallel.",
            show_default="8",
        ),
    ] = None,
    verify: Annotated[
        Optional[str],
        typer.Option(
            "--verify",
            metavar="COMMAND",
            help="Then train with this, here: the original, one and two emulated devices.",
        ),
    ] = None,
    program: Annotated[
        Optional[list[str]],
        typer.Option(
            "--program",
            metavar="FILE",
            help="A program to write launch scripts for; may be given more than once.",
            show_default="all that train",
        ),
    ] = None,
    main: options.Main = None,
    framework: options.TrainedWith = None,
    exclude: options.Exclude = None,
    style: options.HowStyled = None,
    transfer: options.Transferred = None,
    torch_npu: options.TorchNpu = None,
    dynamic_rnn: options.DynamicRnn = None,
    tune: options.Tune = None,
    report_folder: Annotated[
        Optional[Path],
        typer.Option("--report", "-r", metavar="FOLDER", help="Write every report format here."),
    ] = None,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    npu: npu_options.Npu = None,
) -> None:
    """Port a project: migrated code, data-parallel training, NPU options, launch scripts, README.

    Run it again when the original has changed: the port is updated, and what you edited in it is
    kept. Exit code 0: ready, 1: something stops it, 2: the tool failed.
    """
    from rich.console import Console

    from ascendify.port.request import PortRequest
    from ascendify.port.session import port
    from ascendify.port.text import render

    Output(folder=report_folder).check()
    target = output or Path(f"{project.resolve().parent / project.resolve().name}_npu")
    requested, keras = None, None
    if verify is not None:
        from ascendify.verify.request import keras_of, request_after_migration

        requested = request_after_migration(project, target, verify)
        keras = keras_of(requested)
    request = PortRequest(
        project,
        target,
        devices=devices,
        programs=tuple(program or ()),
        framework=framework.value if framework else None,
        main=main,
        exclude=options.split(exclude) or (),
        style=style.value if style else None,
        transfer=options.split(transfer) or (),
        npu=npu_options.pairs(npu),
        torch_npu=torch_npu,
        dynamic_rnn=dynamic_rnn,
        tune=tune,
        keras=keras,
        jobs=jobs,
    )
    with progress(quiet) as advance:
        result = port(request, advance, process_ends=requested is None)
    for warning in result.generated.warnings:
        warn(warning)
    if report_folder is not None:
        write_folder(result.report, report_folder)
    if requested is not None:
        from ascendify.port.verification import verified

        result = verified(result, requested, (lambda _: None) if quiet else _say)
    render(result, Console(), verbose=verbose)
    raise typer.Exit(0 if result.is_ready else NOT_READY)


def _say(text: str) -> None:
    print(f"{text} ...", file=sys.stderr, flush=True)
