"""Load the packaged JSON tables of this room, each once per process."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent / "data"


@cache
def table(name: str) -> dict[str, Any]:
    """Return the packaged table of this name; callers share it and must not change it."""
    data: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_bytes())
    return data
