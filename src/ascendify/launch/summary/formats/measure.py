"""Our own JSON lines, written by ``ascendify launch --measure``; docs/summary.md describes them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ascendify.launch.summary.patterns import EVAL, TRAIN, Columns, LogFormat, ReadingKind

_FIELDS = ("time", "seconds", "samples", "loss", "accuracy")
_KINDS = {"step": TRAIN, "eval": EVAL}


def _read(block: bytes) -> Iterator[tuple[ReadingKind, Columns]]:
    rows: dict[ReadingKind, list[dict[str, Any]]] = {TRAIN: [], EVAL: []}
    for text in block.splitlines():
        row = _row(text)
        if row is None:
            continue
        event = row.get("event")
        if event == "epoch":
            rows[TRAIN].append({"time": row.get("time")})
        elif event == "end":
            # the time, and the loss of the last step where that was not read before
            rows[TRAIN].append({key: row.get(key) for key in ("time", "step", "loss")})
        elif event in _KINDS:
            rows[_KINDS[event]].append(row)
    for kind, found in rows.items():
        if found:
            columns = {field: [_number(row.get(field)) for row in found] for field in _FIELDS}
            yield kind, {**columns, "step": [_step(row.get("step")) for row in found]}


def _row(text: bytes) -> dict[str, Any] | None:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) and isinstance(row.get("event"), str) else None


def _number(value: object) -> float | int | None:
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _step(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


FORMAT = LogFormat("ascendify", (), _read)
