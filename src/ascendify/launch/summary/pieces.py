"""Large logs are cut into pieces that several processes read side by side."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from ascendify.launch.summary.blocks import line_start
from ascendify.launch.summary.scan import Piece, Scan, scan

WORTH_A_PROCESS = 1 << 23
"""Bytes: to read them takes some times as long as to start a process."""


def scan_all(files: Sequence[Path]) -> dict[Path, Scan]:
    """Read logs, with as many processes as there is work and are processors for."""
    sizes = {file: file.stat().st_size for file in files}
    workers = min(_processors(), sum(sizes.values()) // WORTH_A_PROCESS)
    if workers < 2:
        return {file: scan(Piece(file, 0, size)) for file, size in sizes.items()}
    pieces = [piece for file, size in sizes.items() for piece in cut(file, size, WORTH_A_PROCESS)]
    with ProcessPoolExecutor(workers) as pool:
        return joined(pool.map(scan, pieces))


def cut(file: Path, size: int, most: int) -> Iterator[Piece]:
    """Pieces of about the given size, each of whole lines; a log without lines stays whole."""
    start = 0
    for near in range(most, size, most):
        end = line_start(file, near)
        if start < end < size:
            yield Piece(file, start, end)
            start = end
    yield Piece(file, start, size)


def joined(scans: Iterable[Scan]) -> dict[Path, Scan]:
    """What was found in the pieces of logs, put together by log; pieces come in their order."""
    whole: dict[Path, Scan] = {}
    for one in scans:
        if one.file in whole:
            whole[one.file].join(one)
        else:
            whole[one.file] = one
    return whole


def _processors() -> int:
    """Those this process may use, where the system tells."""
    allowed = getattr(os, "sched_getaffinity", None)
    return len(allowed(0)) if allowed else os.cpu_count() or 1
