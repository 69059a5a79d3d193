"""``ascendify run``: run a migrated script as the ranks of an NPU job, without an NPU."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, BinaryIO, Optional

import typer

from ascendify.cli import job_output, options
from ascendify.cli import outcome as outcomes
from ascendify.cli.audit_output import write_audit
from ascendify.cli.output import Output, check_file, show, warn

if TYPE_CHECKING:
    from ascendify.emulation.audit import Audit
    from ascendify.launch.emulated_run import RunResult


def command(
    command_line: Annotated[
        Optional[list[str]],
        typer.Argument(
            metavar="-- COMMAND...",
            help="What to run, such as: python train.py --epochs 1",
            show_default=False,
        ),
    ] = None,
    *,
    devices: Annotated[
        int, typer.Option("--devices", "-n", metavar="N", help="How many ranks to start.")
    ] = 1,
    once: Annotated[
        Optional[bool],
        typer.Option(
            "--once/--no-once",
            help="Start the command once: it starts the ranks by itself.",
            show_default="once for torchrun, accelerate launch, mp.spawn; else one per device",
        ),
    ] = None,
    soc: options.Soc = None,
    strict: Annotated[
        bool,
        typer.Option("--strict", help="Report what a device would refuse; exit 1 if anything."),
    ] = False,
    audit: Annotated[
        Optional[Path],
        typer.Option(
            "--audit",
            metavar="FILE",
            help="Count what PyTorch code did on the device, line by line, and write it here.",
        ),
    ] = None,
    measure: Annotated[
        bool,
        typer.Option("--measure", help="Record every training step, beside the logs."),
    ] = False,
    emulate: options.Emulate = False,
    seed: Annotated[
        Optional[int],
        typer.Option(
            "--seed",
            metavar="N",
            help="Seed programs that choose no seed, and compute as verify does (there it is 20).",
        ),
    ] = None,
    project: Annotated[
        Path,
        typer.Option(
            "--project", metavar="FOLDER", help="Your files; the command runs in this folder."
        ),
    ] = Path(),
    log_dir: Annotated[
        Optional[Path],
        typer.Option(
            "--log-dir",
            metavar="FOLDER",
            help="Write the ranks' logs here.",
            show_default="a new folder among the temporary files",
        ),
    ] = None,
    timeout: Annotated[
        Optional[float],
        typer.Option("--timeout", metavar="SECONDS", help="Stop everything after that time."),
    ] = None,
    all_ranks: Annotated[
        bool,
        typer.Option("--all-ranks", "-a", help="Show what every rank prints, not only rank 0."),
    ] = False,
    output_format: options.OutputFormat = options.Format.TEXT,
    output_file: options.OutputFile = None,
    report_folder: Annotated[
        Optional[Path],
        typer.Option("--report", "-r", metavar="FOLDER", help="Write every report format here."),
    ] = None,
    statistics: options.Statistics = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Run a script on this machine's CPU as N ranks, with stand-ins for the NPU's packages.

    Exit code 0: all is well, 1: findings of --strict, 2: it could not start, 3: the script failed,
    4: the time was up.
    """
    from ascendify.errors import UsageError
    from ascendify.launch.emulated_run import RunRequest, check, run

    output = Output(output_format, output_file, statistics, quiet, verbose, report_folder)
    output.check()
    check_file("--audit", audit)
    if not strict and (output_file or report_folder or output_format is not options.Format.TEXT):
        raise UsageError("there is a report only with --strict", "add --strict")
    request = RunRequest(
        command=tuple(command_line or ()),
        devices=devices,
        project=project,
        strict=strict,
        folder=log_dir,
        timeout=timeout,
        all_ranks=all_ranks,
        soc=soc,
        once=once,
        audit=audit is not None,
        measure=measure,
        emulate=emulate,
        seed=seed,
    )
    check(request, warn)
    sys.stdout.flush()
    ran = run(request, None if quiet else _stream(output))
    audited = None if audit is None else ran.audit()
    found = _show_findings(ran, output, audited) if strict else outcomes.CLEAN
    if audit is not None and audited is not None:
        write_audit(audited, audit, quiet=quiet)
    for line in () if quiet else ran.notes:
        job_output.say(line)
    job_output.show(ran.result, shown=() if quiet else request.supervision.show)
    raise typer.Exit(job_output.exit_code(ran.result, found))


def _stream(output: Output) -> BinaryIO:
    """Return the stream for the script's output: not the one that a machine reads a report from."""
    to_machine = output.format is not options.Format.TEXT and output.file is None
    return (sys.stderr if to_machine else sys.stdout).buffer


def _show_findings(ran: "RunResult", output: Output, audit: "Optional[Audit]") -> int:
    """Show the findings of the stand-ins; return the exit code that follows from them."""
    found = ran.report(audit)
    # That nothing was found until it failed is no good news.
    succeeded = ran.result.outcome.succeeded
    if found.findings or succeeded or output.format is not options.Format.TEXT:
        show(found, output)
    return outcomes.after_check(found, fail_under=None)
