"""Make the ranks of a job record when each training step finished.

A start-up module on the search path of their Python does it: see ``ascendify_startup.measure``. It
is part of the plan, so that it is found on servers that have no ascendify.
"""

from __future__ import annotations

from dataclasses import replace

from ascendify.emulation.environment import MEASURE
from ascendify.emulation.paths import STARTUP
from ascendify.jobs.emulated import check_reads_environment
from ascendify.jobs.job import Job
from ascendify.jobs.unset import SEARCH

_SHARED = (
    *("__init__", "import_hooks", "process_rank", "fetches", "keras_modules", "capture_gradients"),
    "torch_unscaled_loss",
)
"""Modules of the start-up package that measuring needs."""


def with_measuring(job: Job) -> Job:
    """Return the job with measuring; ranks write ``measure-<rank>.jsonl`` to the job's folder."""
    variables = {MEASURE: str(job.folder), SEARCH: f"{job.folder}/{STARTUP.name}"}
    return replace(
        job.with_variables(variables), extra_files={**job.extra_files, **_start_up_files()}
    )


def _start_up_files() -> dict[str, str]:
    """Return the files of the start-up module that measure, for the folder of the job."""
    package = STARTUP / "ascendify_startup"
    paths = [
        STARTUP / "sitecustomize.py",
        *(package / f"{name}.py" for name in _SHARED),
        *sorted(package.glob("measure*.py")),
    ]
    return {
        path.relative_to(STARTUP.parent).as_posix(): path.read_text(encoding="utf-8")
        for path in paths
    }


def check(command: tuple[str, ...]) -> None:
    """Refuse an interpreter that would not find the start-up module.

    Raises:
        UsageError: it ignores its environment.
    """
    check_reads_environment(command, "the code that measures", ", or --measure")
