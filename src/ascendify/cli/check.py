"""``ascendify check``: say what a project needs, and write nothing."""

# No `from __future__ import annotations`: typer on Python 3.9 reads only evaluated ones.
from pathlib import Path
from typing import Annotated, Optional

import typer

from ascendify.cli import options, outcome
from ascendify.cli.output import Output, show, warn
from ascendify.cli.progress import progress


def command(
    paths: Annotated[
        Optional[list[Path]],
        typer.Argument(metavar="[PATH]...", help="Folders or files.", show_default="."),
    ] = None,
    *,
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
    output_format: options.OutputFormat = options.Format.TEXT,
    output_file: options.OutputFile = None,
    statistics: options.Statistics = False,
    audit: options.Audit = None,
    fail_under: options.FailUnder = None,
    jobs: options.Jobs = None,
    no_cache: options.NoCache = False,
    cache_dir: options.CacheDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> None:
    """Say what must change for an NPU, what would be rewritten, and what is left to people.

    Nothing is written into the project. Exit code 0: clean, 1: findings, 2: the tool failed.
    """
    from ascendify.emulation.audit import load as load_audit
    from ascendify.emulation.run_report import with_audit
    from ascendify.migrate import cache
    from ascendify.migrate.pipeline import check
    from ascendify.migrate.settings import load

    output = Output(output_format, output_file, statistics, quiet, verbose)
    output.check()
    seen = None if audit is None else load_audit(audit)
    settings = load(
        *(paths or [Path()]),
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
        fail_under=fail_under,
        jobs=jobs,
    )
    kept = None if no_cache else cache.in_folder(cache_dir)
    for warning in settings.warnings:
        warn(warning)
    with progress(quiet) as advance:
        report = with_audit(check(settings, advance, kept, process_ends=True), seen)
    show(report, output)
    raise typer.Exit(outcome.after_check(report, settings.fail_under))
