"""Cut large logs into pieces that several processes read at the same time."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from ascendify.launch.summary.blocks import line_start
from ascendify.launch.summary.scan import Piece, Scan, scan

WORTH_A_PROCESS = 1 << 23
"""Bytes of a piece; reading fewer takes little longer than starting a process."""


def scan_all(files: Sequence[Path]) -> dict[Path, Scan]:
    """Read logs, with one process for each piece, as far as there are processors."""
    sizes = {file: file.stat().st_size for file in files}
    workers = min(_processors(), sum(sizes.values()) // WORTH_A_PROCESS)
    if workers < 2:
        return {file: scan(Piece(file, 0, size)) for file, size in sizes.items()}
    pieces = [piece for file, size in sizes.items() for piece in cut(file, size, WORTH_A_PROCESS)]
    with ProcessPoolExecutor(workers) as pool:
        return join_by_log(pool.map(scan, pieces))


def cut(file: Path, size: int, most: int) -> Iterator[Piece]:
    """Cut a log into pieces of about this size and of whole lines, if it has lines."""
    start = 0
    for near in range(most, size, most):
        end = line_start(file, near)
        if start < end < size:
            yield Piece(file, start, end)
            start = end
    yield Piece(file, start, size)


def join_by_log(scans: Iterable[Scan]) -> dict[Path, Scan]:
    """Join the scans of pieces, which are in order, to one scan for each log."""
    whole: dict[Path, Scan] = {}
    for one in scans:
        if one.file in whole:
            whole[one.file].join(one)
        else:
            whole[one.file] = one
    return whole


def _processors() -> int:
    """How many processors this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
