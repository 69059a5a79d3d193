"""The processes that share the work of one run; with one job, this process itself."""

from __future__ import annotations

import gc
import multiprocessing
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.util import Finalize
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from ascendify.migrate.errors import UsageError
from ascendify.migrate.survey import Survey
from ascendify.migrate.worker import Result, Worker

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")
_BATCHES_PER_JOB = 4
"""Few, because files of one folder import each other and what two workers need is parsed twice;
more than one, because batches of one size take different times."""
_WORTH_A_PROCESS = 1_500_000
"""Below this many bytes of source a second process costs more than it saves."""

_worker: Worker | None = None
"""The worker of this process, where this process is one of several."""


class Crew:
    """Analyses files, and does whatever else can be done in parts, until it is left."""

    def __init__(self, surveyed: Survey, codes: frozenset[str], jobs: int) -> None:
        self._work = [*surveyed.analysed, *surveyed.notebooks, *surveyed.texts]
        self._sizes = surveyed.sizes
        total = sum(self._sizes.get(path, 0) for path in self._work)
        self.jobs = 1 if total < _WORTH_A_PROCESS else jobs or os.cpu_count() or 1
        self._batches = list(_by_size(self._work, self._sizes, total // self._parts))
        self._collects = gc.isenabled()
        self._pool: ProcessPoolExecutor | None = None
        if self.jobs > 1:
            # spawn: a fork of a process that draws a progress bar may inherit a held lock
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.jobs, context, _start, (surveyed, codes))
        else:
            self._alone = Worker(surveyed, codes)

    @property
    def _parts(self) -> int:
        return self.jobs * _BATCHES_PER_JOB

    def __enter__(self) -> Crew:
        # workers take their trees apart themselves; looking for cycles costs a tenth of a run
        gc.disable()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
        else:
            self._alone.release()
        if self._collects:
            gc.enable()

    def __len__(self) -> int:
        """How many files there are to analyse."""
        return len(self._work)

    def results(self) -> Iterator[Result]:
        """Analyse every file."""
        if self._pool is None:
            for batch in self._batches:
                yield from self._alone.batch(batch)
            return
        for results in self._spread(self._pool, _analyse, self._batches):
            yield from results

    def share(self, function: Callable[[list[_Item]], object], items: Sequence[_Item]) -> None:
        """Call a function with all items, a part of them in each process."""
        if self._pool is None:
            function(list(items))
            return
        size = len(items) // self._parts + 1
        parts = [list(items[start : start + size]) for start in range(0, len(items), size)]
        for _ in self._spread(self._pool, function, parts):
            pass

    @staticmethod
    def _spread(
        pool: ProcessPoolExecutor,
        function: Callable[[list[_Item]], _Answer],
        parts: list[list[_Item]],
    ) -> Iterator[_Answer]:
        with tempfile.TemporaryDirectory() as empty, _inside(empty):
            futures = [pool.submit(function, part) for part in parts]
        try:
            for future in futures:
                yield future.result()
        except BrokenProcessPool as error:
            raise UsageError(
                "a worker process was killed", "the memory may be too small for it: try --jobs 1"
            ) from error
        finally:
            for future in futures:
                future.cancel()
            wait(futures)


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


def _start(surveyed: Survey, codes: frozenset[str]) -> None:
    gc.disable()
    # an interpreter that ends in order takes a second to free what ends with the process anyway
    Finalize(None, os._exit, args=(0,), exitpriority=-1)
    global _worker  # noqa: PLW0603 - the one way to keep state in a pool's process
    _worker = Worker(surveyed, codes)


def _analyse(paths: list[str]) -> list[Result]:
    if _worker is None:
        raise RuntimeError("the worker process was not started")
    return _worker.batch(paths)


def _by_size(work: Iterable[str], sizes: dict[str, int], limit: int) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for path in sorted(work):
        batch.append(path)
        size += sizes.get(path, 0)
        if size > limit:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
