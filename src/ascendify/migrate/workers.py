"""Worker processes that share the work of one run; with one job, this process itself."""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import tempfile
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import partial
from multiprocessing.util import Finalize
from pathlib import Path
from types import TracebackType
from typing import Generic, TypeVar

from ascendify.errors import UsageError
from ascendify.migrate.file_migrator import FileMigrator
from ascendify.migrate.large_files import Moved, is_large
from ascendify.migrate.settings import Settings
from ascendify.migrate.survey import Survey
from ascendify.reports.model import FileResult
from ascendify.rules.registry import chosen, entries

_Item = TypeVar("_Item")
_Answer = TypeVar("_Answer")
_BATCHES_PER_JOB = 16
"""Batches for each process. They take different times, so the last ones, which any idle process may
take, are small."""
_WORTH_A_PROCESS = 200
"""With fewer Python files a second process costs more than it saves."""

_migrator: FileMigrator | None = None
"""The migrator of this process, where this process is one of several."""
_left: list[FileMigrator] = []
"""Migrators whose memory is left for the end of the process to free."""


class Workers:
    """Processes that migrate files, and do whatever else can be done in parts."""

    def __init__(self, settings: Settings, process_ends: bool = False) -> None:
        """Take the settings, and whether this process ends soon after the migration."""
        self._process_ends = process_ends
        self._choice = (settings.select, settings.ignore)
        self._most_jobs = settings.jobs or os.cpu_count() or 1
        self.jobs = 1
        self._pool: ProcessPoolExecutor | None = None
        self._collects = gc.isenabled()

    def __enter__(self) -> Workers:
        # migrators take their trees apart themselves; looking for cycles costs a tenth of a run
        gc.disable()
        return self

    def start(self, paths: Iterable[str]) -> None:
        """Start as many processes as are worth it for these files; they load the rules at once."""
        worth = sum(path.endswith(".py") for path in paths) >= _WORTH_A_PROCESS
        self.jobs = self._most_jobs if worth else 1
        if self.jobs > 1:
            self._folder = tempfile.TemporaryDirectory()
            # spawn: a fork of a process that draws a progress bar may inherit a held lock
            context = multiprocessing.get_context("spawn")
            self._pool = ProcessPoolExecutor(self.jobs, context, _start)
            with _inside(self._folder.name):
                for _ in range(self.jobs):
                    self._pool.submit(gc.disable)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)
            self._folder.cleanup()
        if self._collects:
            gc.enable()

    def migrate(
        self,
        surveyed: Survey,
        paths: Sequence[str],
        keep_reads: bool,
        moved: Moved | None = None,
    ) -> Iterator[FileResult]:
        """Migrate files that some rule may care about, in any order; nothing is written.

        Only a cache needs to know what each result was read from. Large files are migrated by this
        process: it tells ``moved`` how far they are, and has one of them in memory at a time.
        """
        if not paths:
            return  # nothing for rules, which take a while to load
        codes = chosen(*self._choice, surveyed.facts.frameworks)
        here = [path for path in paths if self._pool is None or is_large(surveyed.size(path))]
        if self._pool is not None:
            task = Path(self._folder.name) / "task"
            task.write_bytes(pickle.dumps((surveyed, codes, keep_reads)))
            batches = self._batches(surveyed, set(paths).difference(here))
            for results in self._spread(partial(_migrate, task), batches):
                yield from results
        if here:
            migrator = FileMigrator(surveyed, codes, keep_reads, moved)
            for batch in self._batches(surveyed, here):
                yield from migrator.migrate(batch)
            if self._process_ends:
                # taking the trees apart is a twentieth of a run, and the process ends with them
                _left.append(migrator)
                gc.freeze()
            else:
                migrator.release()

    def _batches(self, surveyed: Survey, paths: Collection[str]) -> list[list[str]]:
        total = sum(map(surveyed.size, paths))
        return list(_by_size(surveyed, paths, total // self._parts))

    @property
    def _parts(self) -> int:
        return self.jobs * _BATCHES_PER_JOB

    def share(self, function: Callable[[list[_Item]], object], items: Sequence[_Item]) -> None:
        """Call a function with all items, divided among the processes."""
        if self._pool is None:
            function(list(items))
            return
        size = len(items) // self._parts + 1
        parts = [list(items[start : start + size]) for start in range(0, len(items), size)]
        for _ in self._spread(function, parts):
            pass

    def _spread(
        self, function: Callable[[list[_Item]], _Answer], parts: list[list[_Item]]
    ) -> Iterator[_Answer]:
        """Answers for all parts, in the order they come in.

        A process that ends a part gets the next one of the same lane: files of one folder import
        each other, and what two processes need is parsed twice.
        """
        lanes = Lanes(parts, self.jobs)
        running: dict[Future[_Answer], int] = {}
        try:
            for lane in range(self.jobs):
                self._next(function, lanes, lane, running)
            while running:
                ended, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ended:
                    self._next(function, lanes, running.pop(future), running)
                    yield future.result()
        except BrokenProcessPool as error:
            raise UsageError(
                "a worker process was killed", "the memory may be too small for it: try --jobs 1"
            ) from error
        finally:
            wait(running)

    def _next(
        self,
        function: Callable[[list[_Item]], _Answer],
        lanes: Lanes[_Item],
        lane: int,
        running: dict[Future[_Answer], int],
    ) -> None:
        part = lanes.take(lane)
        if part is not None and self._pool is not None:
            running[self._pool.submit(function, part)] = lane


class Lanes(Generic[_Item]):
    """Parts of a work in as many neighbourhoods as there are processes."""

    def __init__(self, parts: list[list[_Item]], count: int) -> None:
        size = -(-len(parts) // count)
        self._lanes = [deque(parts[lane * size : (lane + 1) * size]) for lane in range(count)]

    def take(self, lane: int) -> list[_Item] | None:
        """The next part of a lane; when it is done, the last one of the fullest other."""
        if self._lanes[lane]:
            return self._lanes[lane].popleft()
        fullest = max(self._lanes, key=len)
        return fullest.pop() if fullest else None


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    """Change the working directory while processes start, then restore it.

    They import from the folder they start in.
    In a project that has a ``typing.py`` of its own they would run that, and nothing of the
    user's project may be run.
    """
    here = Path.cwd()
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(here)


def _start() -> None:
    gc.disable()
    # an interpreter that ends in order takes a second to free what ends with the process anyway
    Finalize(None, os._exit, args=(0,), exitpriority=-1)
    entries()


def _migrate(task: Path, paths: list[str]) -> list[FileResult]:
    global _migrator  # noqa: PLW0603 - the one way to keep state in a pool's process
    if _migrator is None:
        given = pickle.loads(task.read_bytes())  # noqa: S301 - written by this very run
        _migrator = FileMigrator(*given)
    return _migrator.migrate(paths)


def _by_size(surveyed: Survey, paths: Iterable[str], limit: int) -> Iterator[list[str]]:
    batch: list[str] = []
    size = 0
    for path in sorted(paths):
        batch.append(path)
        size += surveyed.size(path)
        if size > limit:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch
