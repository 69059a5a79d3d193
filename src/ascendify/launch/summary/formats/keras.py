"""Keras: ``938/938 [====] - 3s 3ms/step - loss: 0.3 - accuracy: 0.9 - val_loss: 0.2``.

Every release has its own bar, its own place for the time and its own order of metrics. Old ones
count samples instead of batches and say so: ``83us/sample``. With ``verbose=2`` there is no bar,
and every line ends an epoch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ascendify.launch.summary.patterns import TRAIN, Columns, LogFormat, ReadingKind, line

_ACCURACY = rb"(?:categorical_|sparse_categorical_|binary_)?acc(?:uracy)?"
_PROGRESS = line(
    rb"\n *(?P<batch>\d{1,12})/(?:\d{1,12}|Unknown) (?P<bar>[^\n])"
    rb"(?=[^\n]{0,400}? - loss: (?P<loss><N>))"
    rb"(?:(?=[^\n]{0,600}? - %b: (?P<accuracy><N>)))?"
    rb"(?:(?=[^\n]{0,400}? (?P<duration>\d{1,9})(?P<unit>us|ms|s)/(?P<of>step|sample)))?"
    # most lines have none of these: search their common beginning first
    rb"(?:(?=[^\n]{0,600}? - val_)"
    rb"(?:(?=[^\n]{0,600}? - val_loss: (?P<eval_loss><N>)))?"
    rb"(?:(?=[^\n]{0,600}? - val_%b: (?P<eval_accuracy><N>)))?)?" % (_ACCURACY, _ACCURACY),
    b" - loss: ",
)
_SECONDS = {b"us": 1e-6, b"ms": 1e-3, b"s": 1.0}


def _read(block: bytes) -> Iterator[tuple[ReadingKind, Columns]]:
    columns = _PROGRESS.read(block) if _PROGRESS.literal in block else None
    if columns is not None:
        yield TRAIN, _with_times(dict(columns))


def _with_times(columns: dict[str, Sequence[Any]]) -> Columns:
    """Compute seconds and throughput from the groups for duration and unit."""
    whole = [bar == b"-" for bar in columns.pop("bar")]
    times = [
        (int(duration or 0) * _SECONDS.get(unit, 0.0), of)
        for duration, unit, of in zip(
            columns.pop("duration"), columns.pop("unit"), columns.pop("of")
        )
    ]
    return {
        **columns,
        "whole_epoch": whole,
        "seconds": [time or None if of == b"step" else None for time, of in times],
        "own_throughput": [1 / time if time and of == b"sample" else None for time, of in times],
    }


FORMATS = (LogFormat("Keras", ((b"oss", b" - loss: "),), _read),)
