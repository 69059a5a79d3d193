"""Edits: replace a range of the text, leave every other character as the user wrote it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

_CLOSE, _PLAIN, _OPEN, _REPLACE = range(4)
"""Order of edits that meet at one offset: what ends there, what is added, what begins there."""
_STRETCH = 256
"""Characters of text whose edits are compared with each other one by one."""


@dataclass(frozen=True)
class Edit:
    """Replace ``text[start:end]`` by ``new``; an insertion when both are equal."""

    start: int
    end: int
    new: str
    order: tuple[int, int, int] = (_PLAIN, 0, 0)
    """Order among edits at the same offset."""

    @property
    def sort_key(self) -> tuple[int, bool, tuple[int, int, int], int]:
        """Position first; insertions sort before a replacement that starts at the same offset."""
        return (self.start, self.end > self.start, self.order, self.end)

    def overlaps(self, other: Edit) -> bool:
        """Whether the two cannot both be applied."""
        if self.start == self.end or other.start == other.end:
            point, span = (self, other) if self.start == self.end else (other, self)
            return span.start < point.start < span.end
        return self.start < other.end and other.start < self.end


class EditConflict(Exception):  # noqa: N818 - it is a conflict, not an error of the program
    """Two edits change the same text."""

    def __init__(self, first: Edit, second: Edit) -> None:
        super().__init__(
            f"edits overlap: {first.start}-{first.end} and {second.start}-{second.end}"
        )
        self.first = first
        self.second = second


def wrap(start: int, end: int, before: str, after: str, level: int = 0) -> tuple[Edit, Edit]:
    """Put ``before`` and ``after`` around a range so that nested and equal ranges nest rightly.

    Of two wraps around one range, the one with the higher level is the outer one.
    """
    return (
        Edit(start, start, before, (_OPEN, -end, -level)),
        Edit(end, end, after, (_CLOSE, -start, level)),
    )


def conflict(edits: Sequence[Edit]) -> EditConflict | None:
    """The first pair of edits that cannot both be applied."""
    ordered = sorted(edits, key=lambda edit: edit.sort_key)
    reach: Edit | None = None
    for edit in ordered:
        if reach is not None and reach.overlaps(edit):
            return EditConflict(reach, edit)
        if edit.end > edit.start and (reach is None or edit.end > reach.end):
            reach = edit
    return None


class AcceptedEdits:
    """Edits of one text that fit together, indexed by place.

    Whether one more edit fits is answered in constant time, however many there are already: the
    text is cut into stretches of equal length, and only edits of the same stretches are compared.
    """

    def __init__(self) -> None:
        self._points: dict[int, set[int]] = {}
        self._spans: dict[int, list[Edit]] = {}
        self._replacements: set[Edit] = set()

    def add(self, edit: Edit) -> None:
        """Add an edit, which must not overlap another."""
        if edit.start == edit.end:
            self._points.setdefault(edit.start // _STRETCH, set()).add(edit.start)
            return
        self._replacements.add(edit)
        for stretch in _stretches(edit):
            self._spans.setdefault(stretch, []).append(edit)

    def has(self, edit: Edit) -> bool:
        """Whether exactly this replacement is among the edits; insertions never are."""
        return edit in self._replacements

    def overlaps(self, edit: Edit) -> bool:
        """Whether an edit overlaps one of the edits."""
        for stretch in _stretches(edit):
            if any(edit.overlaps(other) for other in self._spans.get(stretch, ())):
                return True
            if edit.start != edit.end and any(
                edit.start < point < edit.end for point in self._points.get(stretch, ())
            ):
                return True
        return False

    def covering(self, edit: Edit) -> Iterator[Edit]:
        """The replacements that touch all the text an edit touches."""
        for other in self._spans.get(edit.start // _STRETCH, ()):
            if other.start <= edit.start and edit.end <= other.end:
                yield other

    def around(self, offset: int) -> Edit | None:
        """The replacement that an offset lies inside of, its ends left out."""
        spans = self._spans.get(offset // _STRETCH, ())
        return next((edit for edit in spans if edit.start < offset < edit.end), None)


def _stretches(edit: Edit) -> range:
    return range(edit.start // _STRETCH, edit.end // _STRETCH + 1)


def apply(text: str, edits: Iterable[Edit]) -> str:
    """The text with every edit made; raises :class:`EditConflict` rather than drop one."""
    ordered = sorted(edits, key=lambda edit: edit.sort_key)
    found = conflict(ordered)
    if found is not None:
        raise found
    parts: list[str] = []
    done = 0
    for edit in ordered:
        parts.append(text[done : edit.start])
        parts.append(edit.new)
        done = edit.end
    parts.append(text[done:])
    return "".join(parts)


def trace(edits: Iterable[Edit]) -> Callable[[int], int]:
    """A function from offsets of the edited text back to offsets of the original.

    Inserted text leads to the place it was inserted at.
    """
    marks: list[tuple[int, int, bool]] = [(0, 0, True)]
    shift = 0
    for edit in sorted(edits, key=lambda edit: edit.sort_key):
        start = edit.start + shift
        shift += len(edit.new) - (edit.end - edit.start)
        marks.append((start, edit.start, False))
        marks.append((edit.end + shift, edit.end, True))
    starts = [mark[0] for mark in marks]

    def original(offset: int) -> int:
        new, old, kept = marks[bisect_right(starts, offset) - 1]
        return old + (offset - new if kept else 0)

    return original
