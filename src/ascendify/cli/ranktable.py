"""``ascendify ranktable``: make, check, convert and show rank tables."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple, Optional

import typer

from ascendify.cli import outcome
from ascendify.cli.output import warn, write, write_out

if TYPE_CHECKING:
    from ascendify.cluster.inventory import Inventory
    from ascendify.cluster.problem import Problem
    from ascendify.cluster.ranktable import ParsedTable

FAILED = 2
_STDIN = "-"


class _Checked(NamedTuple):
    """A checked file: its summary and problems, or why it could not be read."""

    file: str
    summary: str = ""
    problems: "tuple[Problem, ...]" = ()
    failure: str = ""


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
    from ascendify.cluster.inventory import with_addresses
    from ascendify.cluster.problem import errors
    from ascendify.cluster.ranktable import check, dump, find
    from ascendify.cluster.ranktable import create as make
    from ascendify.cluster.topology import allowed
    from ascendify.errors import UsageError

    _check_output(output)
    find(template)
    found = _inventory(servers, devices, hosts, inventory, hccn)
    wrong = errors(allowed(hardware, found))
    if wrong:
        raise UsageError(str(wrong[0]), wrong[0].advice)
    lacking = any(not device.ip for server in found.servers for device in server.devices)
    if addresses and lacking:
        found = with_addresses(found)
        warn("addresses were made up: put in those of /etc/hccn.conf, or give --hccn")
    table = make(found, template)
    if template == "2.0":
        warn("ports are 0/0: the topology file of the servers has the true ones")
    _print_problems(check(table, hardware=hardware))
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
    from ascendify.cluster.topology import find

    if hardware is not None:
        find(hardware)
    checked = [_checked(file, hardware, environment) for file in files]
    if as_json:
        _print_json(checked)
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
    """Write a rank table in another template, or without its comments; say what is lost."""
    from ascendify.cluster.ranktable import convert as to_template
    from ascendify.cluster.ranktable import dump, find

    _check_output(output)
    find(template)
    reading = _read(file)
    _print_problems(reading.warnings)
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
    from ascendify.cluster.ranktable.picture import listing, picture, summary

    reading = _read(file)
    console = Console(highlight=False)
    plain = not console.encoding.startswith("utf")
    print(f"{_name(file)}: {summary(reading.table)}")
    console.print(picture(reading.table, console.width, everything=everything, plain=plain))
    if ranks:
        console.print(listing(reading.table, everything=everything))
    problems = [*reading.warnings, *check(reading.table)]
    if problems:
        print(f"{count_severities(problems)}: ascendify ranktable check shows more")


def _inventory(
    servers: Optional[int],
    devices: Optional[int],
    hosts: Optional[str],
    file: Optional[Path],
    hccn: Optional[list[str]],
) -> "Inventory":
    """Return the inventory for the table, from exactly one of the options."""
    from ascendify.cluster.inventory import DEVICES, from_counts, from_file, from_hccn, from_hosts
    from ascendify.errors import UsageError

    sources = {"--servers": servers, "--hosts": hosts, "--inventory": file, "--hccn": hccn}
    given = [name for name, value in sources.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} exclude each other", "give one of them")
    if not given and devices is None:
        raise UsageError("there is nothing to make a table of", f"give {', '.join(sources)}")
    if devices is not None and (file is not None or hccn is not None):
        raise UsageError(f"{given[0]} says which devices there are", "leave --devices out")
    if hosts is not None:
        return from_hosts(hosts, DEVICES if devices is None else devices)
    if file is not None:
        return from_file(file)
    if hccn is not None:
        return from_hccn(_by_server(hccn))
    return from_counts(
        1 if servers is None else servers,
        DEVICES if devices is None else devices,
        addresses=False,
    )


def _by_server(options: list[str]) -> dict[str, Path]:
    from ascendify.errors import UsageError

    found: dict[str, Path] = {}
    for option in options:
        server, sign, file = option.partition("=")
        if not (server and sign and file):
            raise UsageError(f"--hccn {option} names no server", "write --hccn SERVER=FILE")
        if server in found:
            raise UsageError(f"--hccn names {server} twice", "give each server once")
        found[server] = Path(file)
    return found


def _checked(file: Path, hardware: Optional[str], environment: bool) -> _Checked:
    from ascendify.cluster.ranktable import RankTableError
    from ascendify.cluster.ranktable import check as problems_of
    from ascendify.cluster.ranktable.picture import summary
    from ascendify.errors import UsageError

    name = _name(file)
    try:
        reading = _read(file)
    except RankTableError as error:
        return _Checked(name, problems=error.problems)
    except UsageError as error:
        return _Checked(name, failure=error.message)
    variables = os.environ if environment else None
    problems = problems_of(reading.table, variables, hardware, source=reading.source)
    return _Checked(name, summary(reading.table), (*reading.warnings, *problems))


def _print_checked(checked: list[_Checked]) -> None:
    from ascendify.cluster.problem import count_severities, format_problems

    for each in checked:
        print(f"{each.file}: {each.summary}" if each.summary else each.file)
        for line in format_problems(each.problems):
            print(f"  {line}")
        print(f"  {each.failure or count_severities(each.problems)}")


def _print_json(checked: list[_Checked]) -> None:
    from dataclasses import asdict

    rows = [
        {
            "file": each.file,
            "summary": each.summary,
            "problems": [asdict(problem) for problem in each.problems],
            "failure": each.failure,
        }
        for each in checked
    ]
    print(json.dumps({"files": rows}, indent=2))


def _read(file: Path) -> "ParsedTable":
    from ascendify.cluster.files import LARGEST, decode
    from ascendify.cluster.ranktable import read, read_file

    if str(file) == _STDIN:
        return read(decode(sys.stdin.buffer.read(LARGEST), _name(file)), "")
    return read_file(file)


def _name(file: Path) -> str:
    """Return a file's name on one line, without control characters."""
    name = "standard input" if str(file) == _STDIN else str(file)
    return name if name.isprintable() else ascii(name)


def _print_problems(problems: "Sequence[Problem]") -> None:
    from ascendify.cluster.problem import format_problems

    for line in format_problems(problems):
        print(line, file=sys.stderr)


def _check_output(output: Optional[Path]) -> None:
    """Refuse an output file that cannot be written, before any work is done."""
    from ascendify.errors import UsageError

    if output is not None and output.is_dir():
        raise UsageError(f"--output {output} is a folder", "name a file in it")
    if output is not None and not output.parent.is_dir():
        raise UsageError(f"{output.parent}, the folder of --output, does not exist", "create it")


def _put(text: str, output: Optional[Path]) -> None:
    if output is None:
        write_out(text.encode())
    else:
        write(output, text.encode())
