"""What the ranks of a strict run have shown to be in order, read from their records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ascendify.emulation import records
from ascendify.emulation.audit import relative


@dataclass(frozen=True)
class Fed:
    """What a placeholder was fed."""

    shapes: int
    """How many different shapes."""
    runs: int


@dataclass(frozen=True)
class Shown:
    """Code that ran, by path relative to the project and line."""

    lines: Mapping[str, frozenset[int]] = field(default_factory=dict)
    """Lines that made operators which were run."""
    feeds: Mapping[tuple[str, int], Fed] = field(default_factory=dict)
    """Lines that made placeholders; of several on a line, the one with most shapes counts."""
    sessions: Mapping[tuple[str, int], bool] = field(default_factory=dict)
    """Lines that opened sessions -> whether these were closed."""


def read(files: Iterable[Path], root: Path) -> Shown:
    """Read what ranks recorded; a thing counts only if it is in order on every rank."""
    lines: dict[str, set[int]] = {}
    feeds: dict[tuple[str, int], Fed] = {}
    sessions: dict[tuple[str, int], bool] = {}
    for file in files:
        for entry in records.read(file):
            shown = entry.get("shown")
            if not isinstance(shown, dict):
                continue
            for path, numbers in shown["lines"].items():
                lines.setdefault(relative(path, root), set()).update(numbers)
            for path, line, shapes, runs in shown["feeds"]:
                key = (relative(path, root), line)
                known = feeds.get(key, Fed(0, 0))
                feeds[key] = Fed(max(known.shapes, shapes), max(known.runs, runs))
            for path, line, closed in shown["sessions"]:
                key = (relative(path, root), line)
                sessions[key] = sessions.get(key, True) and closed
    return Shown({path: frozenset(numbers) for path, numbers in lines.items()}, feeds, sessions)
