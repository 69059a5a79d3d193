"""``ascendify verify``: run a project and its migration without an NPU and compare the numbers."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Optional

import typer

from ascendify.cli import options
from ascendify.cli.audit_output import write_audit
from ascendify.cli.output import check_file, check_pictures, warn, write

if TYPE_CHECKING:
    from ascendify.port.bisection import Culprits
    from ascendify.verify import Verdict, VerifyRequest


def command(
    original: Annotated[Path, typer.Argument(metavar="ORIGINAL", help="The project as it was.")],
    migrated: Annotated[Path, typer.Argument(metavar="MIGRATED", help="What migrate wrote.")],
    command_line: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="-- COMMAND...",
            help="What to run in each of the two, such as: python train.py --steps 100",
            show_default=False,
        ),
    ] = None,
    *,
    original_command: Annotated[
        Optional[str],
        typer.Option(
            "--original",
            metavar="COMMAND",
            help="For the original, where it differs: 'horovodrun -np 2 python train.py'",
        ),
    ] = None,
    migrated_command: Annotated[
        Optional[str],
        typer.Option(
            "--migrated", metavar="COMMAND", help="For the migrated project, where it differs."
        ),
    ] = None,
    devices: Annotated[
        Optional[int],
        typer.Option(
            "--devices",
            "-n",
            metavar="N",
            help="How many ranks the migrated project has.",
            show_default="as many as the original's launcher starts, else 1",
        ),
    ] = None,
    once: Annotated[
        Optional[bool],
        typer.Option(
            "--once/--no-once",
            help="Start each command once: it starts the ranks by itself.",
            show_default="once for torchrun, accelerate launch, mp.spawn; else one per device",
        ),
    ] = None,
    soc: options.Soc = None,
    strict: Annotated[
        bool,
        typer.Option("--strict/--no-strict", help="Tell what a device would refuse, too."),
    ] = True,
    audit: Annotated[
        Optional[Path],
        typer.Option(
            "--audit",
            metavar="FILE",
            help="Count what the migrated project did on the device, and write it here.",
        ),
    ] = None,
    pretend_gpu: Annotated[
        bool,
        typer.Option("--pretend-gpu", help="Let a TensorFlow original believe there is a GPU."),
    ] = False,
    original_on: Annotated[
        str,
        typer.Option(
            "--original-on",
            metavar="cpu|gpu",
            help="Run the original on the CPU, where a GPU is pretended, or on this machine's GPU.",
        ),
    ] = "cpu",
    emulate: options.Emulate = False,
    pattern: Annotated[
        Optional[str],
        typer.Option(
            "--pattern",
            metavar="REGEX",
            help="Find numbers in the output: groups value, and step and series if you like.",
        ),
    ] = None,
    rtol: Annotated[
        Optional[float],
        typer.Option(
            "--rtol",
            metavar="ERROR",
            help="Largest relative error, at every step.",
            show_default="1e-4 for float32, growing with the steps up to 2 %",
        ),
    ] = None,
    atol: Annotated[
        float, typer.Option("--atol", metavar="ERROR", help="Absolute error always allowed.")
    ] = 1e-6,
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="For programs that choose none.")
    ] = 20,
    timeout: Annotated[
        float, typer.Option("--timeout", metavar="SECONDS", help="For each of the two runs.")
    ] = 3600.0,
    repeat: Annotated[
        bool,
        typer.Option(
            "--repeat/--no-repeat",
            help="When numbers differ, run the original again: does it repeat itself?",
        ),
    ] = True,
    bisect: Annotated[
        bool,
        typer.Option(
            "--bisect",
            help="When the two do not agree, train versions that lack some edits, and name the "
            "edit that makes the difference.",
        ),
    ] = False,
    in_place: Annotated[
        bool,
        typer.Option("--in-place", help="Run in the folders themselves instead of in copies."),
    ] = False,
    log_dir: Annotated[
        Optional[Path],
        typer.Option(
            "--log-dir",
            metavar="FOLDER",
            help="For logs and copies; must be new or empty.",
            show_default="a new folder among the temporary files",
        ),
    ] = None,
    json_file: Annotated[
        Optional[Path], typer.Option("--json", metavar="FILE", help="Write everything here.")
    ] = None,
    png_file: Annotated[
        Optional[Path], typer.Option("--png", metavar="FILE", help="Draw the losses here.")
    ] = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Train both on this machine's CPU with the same seeds; compare losses, steps and weights.

    Exit code 0: they agree, 1: they do not, or a device would refuse something, 2: it could not
    start, 3: the original failed, 4: the migrated project failed, 5: the time was up, 6: no loss
    was found.
    """
    from ascendify.verify import VerifyRequest
    from ascendify.verify.request import commands
    from ascendify.verify.tolerance import Tolerance

    first, second, ranks = commands(command_line or (), original_command, migrated_command, devices)
    request = VerifyRequest(
        original=original,
        migrated=migrated,
        original_command=first,
        migrated_command=second,
        devices=ranks,
        soc=soc,
        strict=strict,
        pretend_gpu=pretend_gpu,
        original_on=original_on,
        emulate=emulate,
        once=once,
        audit=audit is not None,
        in_place=in_place,
        repeat=repeat,
        folder=log_dir,
        timeout=timeout,
        seed=seed,
        pattern=pattern,
        tolerance=Tolerance(rtol, atol),
    )
    code = perform(
        request,
        json_file,
        png_file,
        audit_file=audit,
        bisect=bisect,
        quiet=quiet,
        verbose=verbose,
    )
    raise typer.Exit(code)


def perform(
    request: "VerifyRequest",
    json_file: Optional[Path] = None,
    png_file: Optional[Path] = None,
    *,
    bisect: bool = False,
    audit_file: Optional[Path] = None,
    quiet: bool = False,
    verbose: bool = False,
) -> int:
    """Verify, print the verdict and return the exit code."""
    from ascendify.verify.request import check
    from ascendify.verify.session import verify

    check(request, warn)
    if bisect:
        from ascendify.port import bisection

        bisection.check(request)
    if png_file is not None:
        check_pictures()
    check_file("--json", json_file)
    check_file("--png", png_file)
    check_file("--audit", audit_file)
    progress = (lambda _: None) if quiet else _say
    verdict = verify(request, progress)
    if json_file is not None:
        _write(verdict, json_file)
    if png_file is not None:
        _draw(verdict, png_file)
    if audit_file is not None and verdict.migrated is not None:
        from ascendify.verify.sides import audit

        write_audit(audit(request, verdict.migrated), audit_file, quiet=quiet)
    _show(verdict, quiet=quiet, verbose=verbose)
    if bisect:
        found = bisection.bisect(request, verdict, progress)
        _show_culprits(found)
        if json_file is not None and found is not None:
            _write(verdict, json_file, found)
    return verdict.result.value


def _write(verdict: "Verdict", file: Path, found: "Optional[Culprits]" = None) -> None:
    """Write everything as JSON; before a search for edits, which may take long, and after it."""
    from ascendify.verify.json_ import to_json

    culprits = None
    if found is not None:
        from ascendify.port.bisection_text import to_dict

        culprits = to_dict(found)
    write(file, to_json(verdict, culprits).encode())


def _show_culprits(found: "Optional[Culprits]") -> None:
    if found is None:
        return
    from rich.console import Console
    from rich.text import Text

    from ascendify.port.bisection_text import lines

    console = Console()
    for text, style in lines(found):
        # lines of code stay whole, so that they can be searched for
        console.print(Text(text, style), soft_wrap=True)


def _say(text: str) -> None:
    print(f"{text} ...", file=sys.stderr, flush=True)


def _draw(verdict: "Verdict", file: Path) -> None:
    if not verdict.comparisons:
        warn(f"no {file.name}: there is nothing to draw")
        return
    from ascendify.verify.picture import draw

    draw(verdict.comparisons, file)


def _show(verdict: "Verdict", *, quiet: bool, verbose: bool) -> None:
    from rich.console import Console

    from ascendify.verify.text import render

    if verdict.report is not None and verdict.report.findings and not quiet:
        from ascendify.reports.text import render as render_report

        render_report(verdict.report, Console(), int(verbose))
    render(verdict, Console(), verbose=verbose)
    sys.stdout.flush()
