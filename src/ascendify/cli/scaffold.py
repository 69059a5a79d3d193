"""``ascendify scaffold``: launch scripts for a migrated project."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
from pathlib import Path
from typing import Annotated, Optional

import typer

from ascendify.cli import job_output, options
from ascendify.cli.output import warn


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
    entry: Annotated[
        Optional[str],
        typer.Option(
            "--entry", metavar="FILE", help="The training script.", show_default="found by its name"
        ),
    ] = None,
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
    servers: Annotated[
        int, typer.Option("--servers", metavar="N", help="Of 8 devices, in a rank table.")
    ] = 2,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    quiet: options.Quiet = False,
) -> None:
    """Write launch scripts, rank tables and a README for a migrated project, as the guides have.

    Exit code 0: written, 2: not.
    """
    from ascendify.launch.scaffold import planning, writing
    from ascendify.migrate.discovery import files
    from ascendify.migrate.settings import load
    from ascendify.migrate.survey import survey

    request = planning.ScaffoldRequest(
        project,
        tuple(arguments or ()),
        entry,
        network,
        batch_size,
        data_option,
        batch_option,
        full_args,
        performance_args,
        python,
        servers,
    )
    planning.check(request)
    settings = load(project)
    found = survey(settings, files(settings))
    made = planning.plan(
        request,
        framework=found.facts.framework,
        entry_points=found.facts.entry_points,
        imported_by=found.imported_by,
    )
    written = writing.files(made)
    writing.write(project, written, force=force)
    for warning in planning.warnings(request, made):
        warn(warning)
    if not quiet:
        job_output.say(f"{len(written)} files in {project / 'test'} and {project / 'configs'}")
        job_output.say(f"they run {made.entry}; test/settings.sh says how")
