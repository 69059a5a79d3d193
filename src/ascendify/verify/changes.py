"""Where two versions of a project differ, and versions that differ in some of these places only.

Files are bytes here, so that every piece can be taken over and taken back without a loss.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby

from ascendify.reports.diff import opcodes, split_lines

Version = Mapping[str, bytes]
"""The files of a project that matter, by path; a file that is missing is empty."""
_CODEC = "latin-1"
"""Gives every byte a character and back."""


@dataclass(frozen=True, order=True)
class Change:
    """Some lines of one file, and what stands in their place in another version."""

    path: str
    start: int
    """How many lines are before it in the first version."""
    before: tuple[str, ...]
    after: tuple[str, ...]
    place: int = 0
    """How many lines are before it in the other version."""

    @property
    def end(self) -> int:
        """How many lines of the first version end before or in it."""
        return self.start + len(self.before)

    def touches(self, start: int, end: int) -> bool:
        """Whether it has to do with these lines of the first version, counted from 0."""
        return (self.start < end and start < self.end) or start == self.start


def find_changes(first: Version, second: Version) -> list[Change]:
    """List where two versions differ, in small pieces: line by line where the lines pair up."""
    return [
        change
        for path in sorted({*first, *second})
        for change in _changes_of(path, first.get(path, b""), second.get(path, b""))
    ]


def _changes_of(path: str, first: bytes, second: bytes) -> Iterator[Change]:
    if first == second:
        return
    before, after = (split_lines(text.decode(_CODEC)) for text in (first, second))
    for tag, i, j, k, m in opcodes(before, after):
        if tag == "equal":
            continue
        if j - i == m - k:
            for shift in range(j - i):
                lines = (before[i + shift],), (after[k + shift],)
                if lines[0] != lines[1]:
                    yield Change(path, i + shift, *lines, k + shift)
        else:
            yield Change(path, i, tuple(before[i:j]), tuple(after[k:m]), k)


def apply_changes(first: Version, changes: Iterable[Change]) -> dict[str, bytes]:
    """Make the version that has these changes, which are those of the first version."""
    made = dict(first)
    for path, group in groupby(sorted(changes), key=lambda change: change.path):
        lines = split_lines(first.get(path, b"").decode(_CODEC))
        for change in sorted(group, reverse=True):
            lines[change.start : change.end] = change.after
        made[path] = "".join(lines).encode(_CODEC)
    return made
