"""Measure how long a run took by the time stamps near the beginning and end of its log."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

_END_BYTES = 1 << 16
_LEAP_YEAR = 2000
"""A leap year for time stamps without a year, so that 29 February exists."""
_STAMPS = (
    # 2022-06-15 20:12:03.015775, 2022-06-15T20:12:03, 2022-06-15-20:12:03
    re.compile(
        rb"(?P<year>20\d\d)[-/](?P<month>\d\d)[-/](?P<day>\d\d)[ T-]"
        rb"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
    ),
    # I0615 20:12:03.015775 140615084922688 evaluation.py:450]
    re.compile(
        rb"\n[IWEF](?P<month>\d\d)(?P<day>\d\d) (?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"
    ),
)


def wall_seconds(file: Path) -> float | None:
    """Seconds between the first and the last time stamp of one kind; None with fewer than two."""
    head, tail = _ends(file)
    for stamp in _STAMPS:
        first = next(_times(stamp, head), None)
        last = next(iter(deque(_times(stamp, tail), maxlen=1)), None)
        if first is None or last is None:
            continue
        if last < first and "year" not in stamp.groupindex:
            last += timedelta(days=366)
        if last > first:
            return (last - first).total_seconds()
    return None


def _ends(file: Path) -> tuple[bytes, bytes]:
    with file.open("rb") as stream:
        head = b"\n" + stream.read(_END_BYTES)
        stream.seek(max(0, file.stat().st_size - _END_BYTES))
        return head, b"\n" + stream.read(_END_BYTES)


def _times(stamp: re.Pattern[bytes], text: bytes) -> Iterator[datetime]:
    for match in stamp.finditer(text):
        parts = {
            "year": _LEAP_YEAR,
            **{name: int(part) for name, part in match.groupdict().items()},
        }
        try:
            yield datetime(
                parts["year"], parts["month"], parts["day"],
                parts["hour"], parts["minute"], parts["second"],
            )  # fmt: skip
        except ValueError:
            continue
