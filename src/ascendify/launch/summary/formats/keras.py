"""Keras: ``938/938 [====] - 3s 3ms/step - loss: 0.3 - accuracy: 0.9 - val_loss: 0.2``.

Every release has its own bar, its own place for the time and its own order of metrics. Old ones
count samples instead of batches and say so: ``83us/sample``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ascendify.launch.summary.patterns import EVAL, TRAIN, Columns, Format, Kind, line

_PROGRESS = line(
    rb"\n *(?P<batch>\d{1,12})/(?P<batches>\d{1,12}|Unknown) "
    rb"(?=[^\n]{0,400}? - loss: (?P<loss><N>))"
    rb"(?:(?=[^\n]{0,600}? - (?:categorical_|sparse_categorical_|binary_)?acc(?:uracy)?: "
    rb"(?P<accuracy><N>)))?"
    rb"(?:(?=[^\n]{0,400}? (?P<duration>\d{1,9})(?P<unit>us|ms|s)/(?P<of>step|sample)))?",
    b" - loss: ",
)
_VALIDATION = line(rb" - val_loss: (?P<loss><N>)", b" - val_loss: ", EVAL)
_VALIDATION_ACCURACY = line(
    rb" - val_(?:categorical_|sparse_categorical_|binary_)?acc(?:uracy)?: (?P<accuracy><N>)",
    b" - val_",
    EVAL,
)
_SECONDS = {b"us": 1e-6, b"ms": 1e-3, b"s": 1.0}
_WHOLE_BATCHES = b"step"


def _read(block: bytes) -> Iterator[tuple[Kind, Columns]]:
    told = _PROGRESS.read(block)
    if told is not None:
        yield TRAIN, _timed(dict(told))
    for one in (_VALIDATION, _VALIDATION_ACCURACY):
        columns = one.read(block)
        if columns is not None:
            yield EVAL, columns


def _timed(columns: dict[str, Sequence[Any]]) -> Columns:
    """Add the seconds a step, or the samples a second, from a number and its unit."""
    rows = list(zip(columns.pop("duration"), columns.pop("unit"), columns.pop("of")))
    seconds = [
        int(duration) * _SECONDS[unit] if duration and of == _WHOLE_BATCHES else None
        for duration, unit, of in rows
    ]
    throughput = [
        1 / (int(duration) * _SECONDS[unit])
        if duration and int(duration) and of != _WHOLE_BATCHES
        else None
        for duration, unit, of in rows
    ]
    return {**columns, "seconds": seconds, "own_throughput": throughput}


FORMAT = Format("Keras", ((b"oss", b" - loss: "),), _read)
