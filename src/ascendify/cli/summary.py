"""``ascendify summary``: loss, accuracy and speed of a training, from its logs."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ascendify.cli import options
from ascendify.cli.output import check_file, check_pictures, warn, write

if TYPE_CHECKING:
    from ascendify.launch.summary import Summary

PROBLEMS = 1


def command(
    folder: Annotated[
        Path, typer.Argument(metavar="DIR", help="The logs of a run: a folder, or one file.")
    ],
    *,
    batch_size: Annotated[
        Optional[int],
        typer.Option(
            "--batch-size",
            metavar="N",
            help="Samples in a step of one rank.",
            show_default="found in the log or the launched command",
        ),
    ] = None,
    ranks: Annotated[
        Optional[int],
        typer.Option(
            "--ranks",
            metavar="N",
            help="How many ranks the job had.",
            show_default="those with a log, or those launch started",
        ),
    ] = None,
    network: Annotated[
        Optional[str],
        typer.Option(
            "--network",
            metavar="NAME",
            help="For the case file and the plot.",
            show_default="the name of the folder",
        ),
    ] = None,
    json_file: Annotated[
        Optional[Path], typer.Option("--json", metavar="FILE", help="Write everything here.")
    ] = None,
    csv_file: Annotated[
        Optional[Path],
        typer.Option("--csv", metavar="FILE", help="Write a row for each rank here."),
    ] = None,
    plot_file: Annotated[
        Optional[Path], typer.Option("--plot", metavar="FILE", help="Draw the loss here, as PNG.")
    ] = None,
    case_file: Annotated[
        Optional[Path],
        typer.Option("--case", metavar="FILE", help="Write a case file (Network = ...) here."),
    ] = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Report throughput, loss, accuracy, skew and time of a run, from its logs.

    Exit code 0: all is well, 1: losses that are not finite, tracebacks, or nothing that could be
    read, 2: there are no logs.
    """
    from ascendify.errors import UsageError
    from ascendify.launch.summary import summarise

    for name, value in (("--batch-size", batch_size), ("--ranks", ranks)):
        if value is not None and value < 1:
            raise UsageError(f"{name} {value} is no size", "give 1 or more")
    if plot_file is not None:
        check_pictures()
    files = {"--json": json_file, "--csv": csv_file, "--plot": plot_file, "--case": case_file}
    for option, file in files.items():
        check_file(option, file)
    summary = summarise(folder, batch_size, ranks, network)
    _write(summary, json_file, csv_file, case_file)
    if plot_file is not None:
        _plot(summary, plot_file)
    _show(summary, quiet=quiet, verbose=verbose)
    raise typer.Exit(PROBLEMS if summary.problems or not summary.has_readings else 0)


def _write(
    summary: "Summary",
    json_file: Optional[Path],
    csv_file: Optional[Path],
    case_file: Optional[Path],
) -> None:
    if json_file is not None:
        from ascendify.launch.summary.json_ import to_json

        write(json_file, to_json(summary).encode())
    if csv_file is not None:
        from ascendify.launch.summary.csv_ import to_csv

        write(csv_file, to_csv(summary).encode())
    if case_file is not None:
        from ascendify.launch.summary.case import missing, to_case

        write(case_file, to_case(summary).encode())
        if missing(summary):
            warn(
                f"{case_file.name} has no {', '.join(missing(summary))}: the logs do not contain it"
            )


def _plot(summary: "Summary", file: Path) -> None:
    from ascendify.launch.summary.plot import has_loss, plot

    if has_loss(summary):
        plot(summary, file)
    else:
        warn(f"no {file.name}: there is no loss to draw")


def _show(summary: "Summary", *, quiet: bool, verbose: bool) -> None:
    from rich.console import Console

    from ascendify.launch.summary.text import render

    if not quiet:
        render(summary, Console(), verbose=verbose)
        sys.stdout.flush()
    if quiet:
        for problem in summary.problems:
            warn(problem)
    if not summary.has_readings:
        warn(
            f"nothing was read from {sum(len(one.files) for one in summary.ranks)} logs; "
            "docs/summary.md lists the formats"
        )
