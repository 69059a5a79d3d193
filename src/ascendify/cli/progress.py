"""A progress bar for long runs on a terminal; silence everywhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Callable, Optional

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

Advance = Callable[[float, int, str], None]
"""Called with files done (2.5: two, and half of a large one), files in all, and what was done."""

PATIENCE_SECONDS = 1.0
"""A run that is over by then shows no bar: it would only flicker."""


@contextmanager
def progress(quiet: bool) -> Iterator[Optional[Advance]]:
    """Return the function to call after each file or part of one; None if no bar can be shown."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar.advance
    finally:
        bar.close()


class _Bar:
    """Starts drawing only once the run has lasted, and leaves no trace when it ends."""

    def __init__(self) -> None:
        self._started = time.monotonic()
        self._drawn: tuple[Progress, TaskID] | None = None

    def advance(self, done: float, total: int, path: str) -> None:
        if self._drawn is None:
            if time.monotonic() - self._started < PATIENCE_SECONDS:
                return
            self._drawn = _draw()
        bar, task = self._drawn
        bar.update(task, completed=done, total=total, path=path)

    def close(self) -> None:
        if self._drawn is not None:
            self._drawn[0].stop()


def _draw() -> tuple[Progress, TaskID]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.table import Column

    # The path gets the width that the numbers leave.
    rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)
    bar = Progress(
        BarColumn(bar_width=20),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        TextColumn("{task.fields[path]}", markup=False, table_column=rest),
        console=Console(stderr=True),
        expand=True,
        transient=True,
    )
    bar.start()
    return bar, bar.add_task("", total=None, path="")
