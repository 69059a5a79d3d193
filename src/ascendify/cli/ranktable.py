"""``ascendify ranktable``: make, check, convert and show rank tables."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ascendify.cli import outcome
from ascendify.cli.output import check_file, warn, write, write_out

if TYPE_CHECKING:
    from ascendify.cluster.problem import ClusterProblem
    from ascendify.cluster.ranktable.files import CheckedFile

FAILED = 2
app = typer.Typer(help="Rank tables: which rank runs on which device of which server.")

_File = Annotated[Path, typer.Argument(metavar="FILE", help="A rank table; - for standard input.")]
_Template = Annotated[
    str,
    typer.Option(
        "--template",
        "-t",
        metavar="NAME",
        help="1.0, 2 (groups and pods), 1.2 (super pods) or 2.0 (Ascend 950).",
    ),
]
_Hardware = Annotated[
    Optional[str],
    typer.Option(
        "--hardware",
        metavar="NAME",
        help="910A, 910B (A2), A3 or 950: which devices work together.",
        show_default="that of the template",
    ),
]
_Output = Annotated[
    Optional[Path],
    typer.Option(
        "--output", "-o", metavar="FILE", help="Where to write.", show_default="standard output"
    ),
]


@app.command()
def create(
    *,
    servers: Annotated[
        Optional[int],
        typer.Option("--servers", "-s", metavar="N", help="How many servers.", show_default="1"),
    ] = None,
    devices: Annotated[
        Optional[int],
        typer.Option(
            "--devices", "-n", metavar="N", help="Devices of each server.", show_default="8"
        ),
    ] = None,
    hosts: Annotated[
        Optional[str],
        typer.Option(
            "--hosts",
            metavar="LIST",
            help="Such as node1:8,node2:8; node1:0-3 and node1:0+2 choose devices.",
        ),
    ] = None,
    inventory: Annotated[
        Optional[Path],
        typer.Option(
            "--inventory", metavar="FILE", help="TOML, JSON, or lines such as: node1 slots=8"
        ),
    ] = None,
    hccn: Annotated[
        Optional[list[str]],
        typer.Option(
            "--hccn",
            metavar="SERVER=FILE",
            help="The /etc/hccn.conf of a server; once for each server.",
        ),
    ] = None,
    template: _Template = "1.0",
    hardware: _Hardware = None,
    addresses: Annotated[
        bool,
        typer.Option(
            "--addresses/--no-addresses", help="Make up addresses of devices that have none."
        ),
    ] = True,
    output: _Output = None,
) -> None:
    """Make a rank table: from counts, a list of hosts, an inventory or hccn.conf files."""
    from ascendify.cluster.ranktable import dump
    from ascendify.cluster.ranktable.making import TableRequest, make

    check_file("--output", output)
    request = TableRequest(
        servers, devices, hosts, inventory, tuple(hccn or ()), template, hardware, addresses
    )
    table, problems = make(request, warn)
    _show_problems(problems)
    _put(dump(table), output)


@app.command()
def check(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help="Rank tables; - for standard input.")
    ],
    *,
    hardware: _Hardware = None,
    environment: Annotated[
        bool,
        typer.Option(
            "--environment/--no-environment",
            help="Compare with RANK_SIZE, RANK_ID and their like, where they are set.",
        ),
    ] = True,
    strict: Annotated[bool, typer.Option("--strict", help="Warnings count as errors.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Write JSON, for machines.")] = False,
) -> None:
    """Check rank tables against every published rule, and against the environment.

    Exit code 0: they can be used, 1: there are errors, 2: a file could not be read.
    """
    from ascendify.cluster.problem import errors
    from ascendify.cluster.ranktable.files import check_table
    from ascendify.cluster.topology import find

    if hardware is not None:
        find(hardware)
    variables = os.environ if environment else None
    checked = [check_table(file, variables, hardware) for file in files]
    if as_json:
        print(json.dumps({"files": [asdict(each) for each in checked]}, indent=2))
    else:
        _print_checked(checked)
    if any(each.failure for each in checked):
        raise typer.Exit(FAILED)
    found = [problem for each in checked for problem in each.problems]
    raise typer.Exit(outcome.FINDINGS if (found if strict else errors(found)) else outcome.CLEAN)


@app.command()
def convert(
    file: _File,
    *,
    template: _Template = "1.0",
    output: _Output = None,
) -> None:
    """Write a rank table in another template, or without its comments; report what is lost."""
    from ascendify.cluster.ranktable import convert as to_template
    from ascendify.cluster.ranktable import dump, find
    from ascendify.cluster.ranktable.files import read_table

    check_file("--output", output)
    find(template)
    reading = read_table(file)
    _show_problems(reading.warnings)
    converted = to_template(reading.table, template)
    for loss in converted.losses:
        warn(f"template {template} has no place for {loss}")
    for key, times in reading.unused.items():
        warn(f"left out: {key} ({times} times)" if times > 1 else f"left out: {key}")
    _put(dump(converted.table), output)


@app.command()
def show(
    file: _File,
    *,
    ranks: Annotated[
        bool, typer.Option("--ranks", "-r", help="List every rank with its address.")
    ] = False,
    everything: Annotated[bool, typer.Option("--all", "-a", help="Fold nothing.")] = False,
) -> None:
    """Draw a rank table: a row for each server, a cell for each of its devices."""
    from rich.console import Console

    from ascendify.cluster.problem import count_severities
    from ascendify.cluster.ranktable import check
    from ascendify.cluster.ranktable.files import display_name, read_table
    from ascendify.cluster.ranktable.picture import listing, picture, summary

    reading = read_table(file)
    console = Console(highlight=False)
    plain = not console.encoding.startswith("utf")
    print(f"{display_name(file)}: {summary(reading.table)}")
    console.print(picture(reading.table, console.width, everything=everything, plain=plain))
    if ranks:
        console.print(listing(reading.table, everything=everything))
    problems = [*reading.warnings, *check(reading.table)]
    if problems:
        print(f"{count_severities(problems)}: ascendify ranktable check shows more")


def _print_checked(checked: "list[CheckedFile]") -> None:
    from ascendify.cluster.problem import count_severities, format_problems

    for each in checked:
        print(f"{each.file}: {each.summary}" if each.summary else each.file)
        for line in format_problems(each.problems):
            print(f"  {line}")
        print(f"  {each.failure or count_severities(each.problems)}")


def _show_problems(problems: "Sequence[ClusterProblem]") -> None:
    from ascendify.cluster.problem import format_problems

    for line in format_problems(problems):
        print(line, file=sys.stderr)


def _put(text: str, output: Optional[Path]) -> None:
    if output is None:
        write_out(text.encode())
    else:
        write(output, text.encode())
