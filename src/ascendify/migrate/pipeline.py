"""Check and migrate: survey the project, run the workers, gather the report, write the result."""

from __future__ import annotations

import gc
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from pathlib import Path
from typing import Optional

from ascendify import __version__
from ascendify.catalog import support, types
from ascendify.migrate import writer
from ascendify.migrate.errors import UsageError
from ascendify.migrate.options_files import options_files
from ascendify.migrate.settings import Settings
from ascendify.migrate.survey import Survey, survey
from ascendify.migrate.worker import Result, Worker
from ascendify.reports.model import ApiUse, FileAction, FileEntry, Place, Report
from ascendify.rules.registry import chosen, entries

Progress = Optional[Callable[[int, int, str], None]]
_BATCHES_PER_JOB = 4
"""Few, because files of one folder import each other and what two workers need is parsed twice;
more than one, because batches of one size take different times."""
_WORTH_A_PROCESS = 1_500_000
"""Below this many bytes of source a second process costs more than it saves."""
_SHOWN_PLACES = 5

_worker: Worker | None = None
"""The worker of this process, where this process is one of several."""


def check(settings: Settings, progress: Progress = None) -> Report:
    """Say what migrating would do; writes nothing."""
    return _run("check", settings, survey(settings), progress)


def migrate(settings: Settings, progress: Progress = None) -> Report:
    """Migrate and write the result, unless only a diff is asked for."""
    if settings.in_place and not settings.diff:
        writer.refuse_dirty_tree(settings)
    surveyed = survey(settings)
    report = _run("migrate", settings, surveyed, progress)
    if not settings.diff:
        writer.write(settings, surveyed.tree, report)
    return report


def _run(command: str, settings: Settings, surveyed: Survey, progress: Progress) -> Report:
    codes = chosen(settings.select, settings.ignore)
    work = [*surveyed.analysed, *surveyed.notebooks, *surveyed.texts]
    results: list[Result] = []
    for result in _results(surveyed, codes, work, settings.jobs):
        results.append(result)
        if progress is not None:
            progress(len(results), len(work), result.entry.path)
    return _report(command, settings, surveyed, results)


def _results(
    surveyed: Survey, codes: frozenset[str], work: list[str], jobs: int
) -> Iterator[Result]:
    total = sum(surveyed.sizes.get(path, 0) for path in work)
    jobs = 1 if total < _WORTH_A_PROCESS else jobs or os.cpu_count() or 1
    batches = list(_batches(work, surveyed, total // (jobs * _BATCHES_PER_JOB)))
    if jobs == 1:
        worker = Worker(surveyed, codes)
        with _without_collector():
            for batch in batches:
                yield from worker.batch(batch)
        return
    # spawn: a fork of a process that draws a progress bar may inherit a held lock
    context = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory() as empty:
        with _inside(empty):
            workers = min(jobs, len(batches))
            pool = ProcessPoolExecutor(workers, context, _start_worker, (surveyed, codes))
            pending = pool.map(_work_batch, batches)
        try:
            for results in pending:
                yield from results
        except BrokenProcessPool as error:
            raise UsageError(
                "a worker process was killed", "the memory may be too small for it: try --jobs 1"
            ) from error
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Batches take their trees apart themselves; looking for cycles would cost a tenth of a run."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    """Be in another folder while processes are started: they import from where they are.

    In a project that has a ``typing.py`` of its own they would run that, and nothing of the
    user's project may be run.
    """
    here = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)


def _start_worker(surveyed: Survey, codes: frozenset[str]) -> None:
    gc.disable()
    global _worker  # noqa: PLW0603 - the one way to keep state in a pool's process
    _worker = Worker(surveyed, codes)


def _work_batch(paths: list[str]) -> list[Result]:
    if _worker is None:
        raise RuntimeError("the worker process was not started")
    return _worker.batch(paths)


def _batches(work: Iterable[str], surveyed: Survey, limit: int) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for path in sorted(work):
        batch.append(path)
        size += surveyed.sizes.get(path, 0)
        if size > limit:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _report(command: str, settings: Settings, surveyed: Survey, results: list[Result]) -> Report:
    by_path = {result.entry.path: result.entry for result in results}
    files = [
        by_path.get(path) or FileEntry(path, FileAction.COPIED) for path in surveyed.tree.files
    ]
    entry_points = surveyed.facts.entry_points
    files.extend(options_files(settings.npu, files, entry_points, surveyed.imported_by))
    findings = sorted(
        (finding for result in results for finding in result.findings),
        key=lambda finding: finding.sort_key,
    )
    told = {finding.code for finding in findings}
    rules = {code: entry.info for code, entry in sorted(entries().items()) if code in told}
    return Report(
        command=command,
        version=__version__,
        root=_shown(settings.root),
        output=None if settings.diff or command == "check" else _shown(_target(settings)),
        files=tuple(files),
        findings=tuple(findings),
        apis=tuple(_api_uses(results)),
        rules=rules,
        catalog_version=support.release(),
    )


def _target(settings: Settings) -> Path:
    return settings.root if settings.in_place or settings.output is None else settings.output


def _shown(path: Path) -> str:
    """A path as people here would type it: from the current folder when it is below it."""
    here = Path.cwd()
    return str(path.relative_to(here)) if path == here or here in path.parents else str(path)


def _api_uses(results: list[Result]) -> list[ApiUse]:
    """Every framework API the project mentions that the support table knows."""
    places: dict[str, list[Place]] = {}
    known: dict[str, str | None] = {}
    for result in results:
        for name, lines in result.apis.items():
            if name not in known:
                known[name] = _listed(name)
            api = known[name]
            if api is not None:
                found = (Place(result.entry.path, line) for line in lines)
                places.setdefault(api, []).extend(found)
    uses = []
    for api, where in places.items():
        entry = support.lookup(api)
        if entry is not None:
            shown = tuple(where[:_SHOWN_PLACES])
            uses.append(
                ApiUse(api, entry.effective, entry.vendor, entry.note_text, len(where), shown)
            )
    return sorted(uses, key=lambda use: use.sort_key)


def _listed(name: str) -> str | None:
    """The longest beginning of a dotted name that the support table lists.

    What only an object has, a hyperparameter say, is no API: the class is.
    """
    owner, _, last = name.rpartition(".")
    if types.is_class(owner) and not types.declares(owner, last):
        name = owner
    while name:
        if support.lookup(name) is not None:
            return name
        name = name.rpartition(".")[0]
    return None
