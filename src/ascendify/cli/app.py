"""The ``ascendify`` command: its subcommands, and the messages and exit codes of failures."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import io
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated

import typer

from ascendify import __version__
from ascendify.cli import (
    api,
    check,
    doctor,
    explain,
    launch,
    migrate,
    port,
    ranktable,
    rule,
    rules,
    scaffold,
    summary,
    verify,
    zoo,
)
from ascendify.cli import run as emulated_run

FAILED = 2
"""Exit code for a wrong command line and for a failure of the tool."""
INTERRUPTED = 130
"""Exit code that shells report for a process ended by Ctrl-C."""

app = typer.Typer(
    name="ascendify",
    help="Take a GPU training project to Ascend NPUs, every change explained.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _module in (check, migrate, port, verify, scaffold, summary, doctor, explain, rules, rule, api):
    app.command(_module.__name__.rpartition(".")[2])(_module.command)
# What follows the program's name is for the program: its options are not ours.
_BEFORE_PROGRAM = {"allow_interspersed_args": False}
app.command("run", context_settings=_BEFORE_PROGRAM)(emulated_run.command)
app.command("launch", context_settings=_BEFORE_PROGRAM)(launch.command)
app.add_typer(ranktable.app, name="ranktable")
app.add_typer(zoo.app, name="zoo")


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"ascendify {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


def run(args: Sequence[str]) -> int:
    """Run one command and return its exit code; every failure ends as two lines on stderr."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A terminal that lacks a character must not cost the user the report.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = app(args=list(args) or ["--help"], prog_name="ascendify", standalone_mode=False)
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except Exception as error:
        explained = _explain(error, verbose="--verbose" in args or "-v" in args)
        return _fail(*explained, getattr(error, "exit_code", FAILED))
    if code == INTERRUPTED:
        return _fail("interrupted", "nothing was left half-written", INTERRUPTED)
    return code or 0


def _fail(message: str, hint: str, code: int = FAILED) -> int:
    print(f"error: {message}", file=sys.stderr)
    if hint:
        print(f"hint: {hint}", file=sys.stderr)
    return code


def _explain(error: Exception, verbose: bool) -> tuple[str, str]:
    """What went wrong, and what to do about it; what is not the user's mistake has a traceback."""
    # Other rooms load only when a command needs them, so their exceptions are looked up here.
    from ascendify.errors import UsageError

    if isinstance(error, UsageError):
        return error.message, error.hint
    # A command line typer cannot parse: click's exceptions in some releases, its own in others.
    describe = getattr(error, "format_message", None)
    if describe is not None:
        context = getattr(error, "ctx", None)
        program = context.command_path if context else "ascendify"
        return describe(), f"{program} --help lists what it takes"
    if verbose:
        traceback.print_exception(type(error), error, error.__traceback__)
    if isinstance(error, PermissionError):
        return f"permission denied: {error.filename}", "change its permissions, or exclude it"
    if isinstance(error, OSError) and error.strerror:
        place = f": {error.filename}" if error.filename else ""
        return f"{error.strerror.lower()}{place}", "" if verbose else "--verbose shows where"
    return (
        f"ascendify crashed: {type(error).__name__}: {error}",
        "this is a bug of ascendify, please report it with what --verbose shows",
    )
