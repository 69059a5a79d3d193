"""Write a rank table as JSON: one line for each device, as the guides print it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ascendify.cluster.ranktable.model import Table
from ascendify.cluster.ranktable.schema import encode


def dump(table: Table) -> str:
    """Return the JSON text of a table."""
    return "".join(_lines(encode(table), "")) + "\n"


def _lines(value: Any, indent: str) -> Iterator[str]:
    if not isinstance(value, (dict, list)) or not value or _is_flat(value):
        yield json.dumps(value, ensure_ascii=False)
        return
    start, end = "{}" if isinstance(value, dict) else "[]"
    deeper = f"{indent}  "
    yield start
    entries = value.items() if isinstance(value, dict) else ((None, item) for item in value)
    for number, (key, item) in enumerate(entries):
        yield f"{',' if number else ''}\n{deeper}"
        if key is not None:
            yield f"{json.dumps(key)}: "
        yield from _lines(item, deeper)
    yield f"\n{indent}{end}"


def _is_flat(value: Any) -> bool:
    """Whether a value holds no objects, so that it is written on one line."""
    inner = value.values() if isinstance(value, dict) else value
    return not any(
        isinstance(item, dict) or (isinstance(item, list) and not _is_flat(item)) for item in inner
    )
