"""``ascendify migrate``: write a project that trains on NPUs, and report what was done."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
from pathlib import Path
from typing import Annotated, Optional

import typer

from ascendify.cli import npu as npu_options
from ascendify.cli import options, outcome
from ascendify.cli.output import Output, show, show_diff, warn
from ascendify.cli.progress import progress


@npu_options.with_npu_flags
def command(
    path: Annotated[
        Optional[Path], typer.Argument(metavar="PATH", help="The folder or file to migrate.")
    ] = None,
    *,
    input_: Annotated[
        Optional[Path], typer.Option("--input", "-i", metavar="PATH", help="The same as PATH.")
    ] = None,
    output: Annotated[
        Optional[Path],
        typer.Option("--output", "-o", metavar="FOLDER", help="Where to write the result."),
    ] = None,
    in_place: Annotated[
        bool, typer.Option("--in-place", help="Rewrite PATH itself instead.")
    ] = False,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print the changes, write nothing; exit 1 if any.")
    ] = False,
    force: Annotated[
        bool,
        typer.Option("--force", help="Replace a full output folder; rewrite a dirty git tree."),
    ] = False,
    report_folder: Annotated[
        Optional[Path],
        typer.Option("--report", "-r", metavar="FOLDER", help="Write every report format here."),
    ] = None,
    select: options.Select = None,
    ignore: options.Ignore = None,
    exclude: options.Exclude = None,
    main: options.Main = None,
    distributed: options.HowDistributed = None,
    framework: options.TrainedWith = None,
    style: options.HowStyled = None,
    transfer: options.Transferred = None,
    dynamic_rnn: options.DynamicRnn = None,
    fix_drift: options.FixDrift = None,
    tune: options.Tune = None,
    include_tests: options.IncludeTests = None,
    torch_npu: options.TorchNpu = None,
    vendor_style: Annotated[
        Optional[bool],
        typer.Option(
            "--vendor-style/--no-vendor-style",
            help="Import the whole adapter with a star, as the vendor's tool does.",
        ),
    ] = None,
    output_format: options.OutputFormat = options.Format.TEXT,
    output_file: options.OutputFile = None,
    statistics: options.Statistics = False,
    audit: options.Audit = None,
    fail_under: options.FailUnder = None,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    npu: npu_options.Npu = None,
    verify: Annotated[
        Optional[str],
        typer.Option(
            "--verify",
            metavar="COMMAND",
            help="Then run this in both projects, here, and compare the losses.",
        ),
    ] = None,
) -> None:
    """Write a project that trains on NPUs; the input is never touched unless you say --in-place.

    Exit code 0: written, 1: the readiness score is below --fail-under, 2: the tool failed. With
    --verify, the exit code of ascendify verify where that is not 0.
    """
    from ascendify.emulation.audit import load as load_audit
    from ascendify.emulation.run_report import with_audit
    from ascendify.migrate.pipeline import migrate
    from ascendify.migrate.settings import load
    from ascendify.verify.request import keras_of, request_after_migration

    wanted = Output(output_format, output_file, statistics, quiet, verbose, report_folder)
    wanted.check()
    seen = None if audit is None else load_audit(audit)
    source = _only_one(path, input_)
    request = None if verify is None else request_after_migration(source, output, verify)
    settings = load(
        source,
        output=_destination(output, source, in_place or diff),
        in_place=in_place,
        diff=diff,
        force=force,
        select=options.split(select),
        ignore=options.split(ignore),
        exclude=options.split(exclude),
        main=main,
        distributed=distributed.value if distributed else None,
        framework=framework.value if framework else None,
        style=style.value if style else None,
        transfer=options.split(transfer),
        dynamic_rnn=dynamic_rnn,
        fix_drift=fix_drift,
        tune=tune,
        include_tests=include_tests,
        torch_npu=torch_npu,
        keras=None if request is None else keras_of(request),
        vendor_style=vendor_style,
        fail_under=fail_under,
        jobs=jobs,
        npu=npu_options.pairs(npu),
    )
    for warning in settings.warnings:
        warn(warning)
    with progress(quiet) as advance:
        report = with_audit(migrate(settings, advance, process_ends=request is None), seen)
    if diff:
        show_diff(report)
        raise typer.Exit(outcome.after_diff(report))
    show(report, wanted)
    code = outcome.after_migrate(report, settings.fail_under)
    if request is not None:
        from ascendify.cli.verify import perform

        code = perform(request, quiet=wanted.quiet, verbose=wanted.verbose) or code
    raise typer.Exit(code)


def _only_one(path: Optional[Path], input_: Optional[Path]) -> Path:
    from ascendify.errors import UsageError

    if path is not None and input_ is not None:
        raise UsageError(f"two inputs are given: {path} and --input {input_}", "give one")
    chosen = path or input_
    if chosen is None:
        raise UsageError("nothing to migrate is given", "ascendify migrate PATH -o FOLDER")
    return chosen


def _destination(output: Optional[Path], path: Path, needs_none: bool) -> Optional[Path]:
    from ascendify.errors import UsageError

    if output is None and not needs_none:
        example = f"{path.resolve().name}_npu"
        raise UsageError("no place to write to is given", f"add -o {example}, --in-place or --diff")
    return output
