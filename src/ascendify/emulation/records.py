"""Files in which the processes of a job record findings and measurements, as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def path_of(folder: Path, kind: str, rank: int) -> Path:
    """Return the file of a rank; the kinds are findings, audit, capture and emulation."""
    return folder / f"{kind}-{rank}.jsonl"


def read(file: Path) -> Iterator[dict[str, Any]]:
    """Return the objects of a file; none if it is missing.

    A last line that is cut off, because the process was stopped while it wrote, is left out.
    """
    if not file.is_file():
        return
    for line in file.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield entry
