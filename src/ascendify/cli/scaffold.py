"""``ascendify scaffold``: launch scripts for a migrated project."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Optional

import typer

from ascendify.cli import job_output, options
from ascendify.cli.output import warn
from ascendify.programs.program import Program


def command(
    project: Annotated[
        Path,
        typer.Argument(metavar="OUT", help="The migrated project."),
    ],
    arguments: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="[-- ARGUMENTS...]", help="Of the training script.", show_default=False
        ),
    ] = None,
    *,
    program: Annotated[
        Optional[list[str]],
        typer.Option(
            "--program",
            "--entry",
            metavar="FILE",
            help="A program to start; may be given more than once.",
            show_default="all that train, by what their code does",
        ),
    ] = None,
    list_only: Annotated[
        bool, typer.Option("--list", help="List the programs with reasons; write nothing.")
    ] = False,
    network: Annotated[
        Optional[str],
        typer.Option(
            "--network",
            metavar="NAME",
            help="Named in the results.",
            show_default="the name of the folder",
        ),
    ] = None,
    batch_size: Annotated[
        Optional[int],
        typer.Option(
            "--batch-size",
            metavar="N",
            help="Samples of a device in a step.",
            show_default="what the script takes by default",
        ),
    ] = None,
    data_option: Annotated[
        Optional[str],
        typer.Option(
            "--data-option",
            metavar="NAME",
            help="Option of the script for its data, such as --data_dir; none: it has no such.",
            show_default="found in the script",
        ),
    ] = None,
    batch_option: Annotated[
        Optional[str],
        typer.Option(
            "--batch-option",
            metavar="NAME",
            help="Option of the script for its batch size; none: it has no such.",
            show_default="found in the script",
        ),
    ] = None,
    full_args: Annotated[
        str,
        typer.Option("--full-args", metavar="TEXT", help="Arguments of a full training."),
    ] = "",
    performance_args: Annotated[
        Optional[str],
        typer.Option(
            "--performance-args",
            metavar="TEXT",
            help="Arguments that make it short.",
            show_default="found in the script",
        ),
    ] = None,
    python: Annotated[
        str, typer.Option("--python", metavar="PROGRAM", help="The interpreter.")
    ] = "python3",
    devices: Annotated[
        int,
        typer.Option("--devices", metavar="N", help="Of the scripts for several devices; 1: none."),
    ] = 8,
    servers: Annotated[
        int, typer.Option("--servers", metavar="N", help="In the larger rank table.")
    ] = 2,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Write launch scripts, rank tables and a README for a migrated project, as the guides have.

    Exit code 0: written, 2: not.
    """
    from ascendify.launch.scaffold import planning, writing
    from ascendify.migrate.programs import find_programs

    request = planning.ScaffoldRequest(
        project,
        tuple(arguments or ()),
        network,
        batch_size,
        data_option,
        batch_option,
        full_args,
        performance_args,
        python,
        servers,
        devices,
    )
    planning.check(request)
    found = find_programs(project)
    if list_only:
        for line in describe(found.programs.all):
            print(line)
        return
    chosen = found.choose(program or ())
    if not chosen:
        raise planning.nothing_to_train(project, found.programs)
    made = planning.plan(request, chosen, found.framework)
    written = writing.files(made)
    writing.write(project, written, force=force)
    for warning in planning.warnings(project, made):
        warn(warning)
    if quiet:
        return
    job_output.say(f"{len(written)} files in {project}: test, configs, modelarts_entry_*.py")
    for item, lines in zip(made, describe(chosen)):
        job_output.say(f"{item.folder} starts {lines}")
    others = [item for item in found.programs.all if item not in chosen]
    if others:
        job_output.say(f"no scripts for {len(others)} other programs; --list shows them")


def describe(programs: Iterable[Program]) -> Iterator[str]:
    """Describe programs in a line each: what they do, and how that was concluded."""
    for item in programs:
        reasons = "; ".join((item.kind, *item.reasons))
        averaging = f"; gradients averaged by {item.averages}" if item.averages else ""
        yield f"{item.path}: {reasons}{averaging if item.trains else ''}"
