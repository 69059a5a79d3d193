"""Reading the packaged tables of this room: one file, read once a process."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "data"


@cache
def table(name: str) -> dict[str, Any]:
    """The packaged table of this name; treat it as read-only, everyone shares it."""
    data: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_bytes())
    return data
