"""Three-way merge of texts: two descendants of a base, combined line by line.

The algorithm of diff3: regions that only one side changed are taken from it, regions that both
changed in the same way are taken once, and all others are conflicts, which keep both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

YOURS, GENERATED = "<<<<<<< edited in this port", ">>>>>>> ported from the original now"
_BETWEEN = "======="


@dataclass(frozen=True)
class Merged:
    """The combined text."""

    text: str
    conflicts: tuple[int, ...] = ()
    """Lines, from 1, at which a conflict begins."""


def merge(base: str, yours: str, generated: str) -> Merged:
    """Merge a person's changes and the tool's changes of the same base."""
    if yours in (base, generated):
        return Merged(generated)
    if generated == base:
        return Merged(yours)
    breaks = [_line_breaks(text) for text in (base, yours, generated)]
    if None in breaks or len({*breaks}) == 1:
        return _merge(base, yours, generated)
    # who saves a file with other line breaks has not changed its lines
    changed = breaks[1] if breaks[1] != breaks[0] else breaks[2]
    merged = _merge(*(text.replace("\r\n", "\n") for text in (base, yours, generated)))
    return replace(merged, text=merged.text.replace("\n", str(changed)))


def _line_breaks(text: str) -> str | None:
    """The line breaks of a text; None where it has several kinds."""
    count = text.count("\r\n")
    if count == text.count("\n") == text.count("\r"):
        return "\r\n" if count else "\n"
    return None if count or "\r" in text else "\n"


def _merge(base: str, yours: str, generated: str) -> Merged:
    newline = "\r\n" if "\r\n" in yours else "\n"
    lines: list[str] = []
    conflicts: list[int] = []
    for region in _regions(*(text.splitlines(keepends=True) for text in (base, yours, generated))):
        if isinstance(region, list):
            lines += region
            continue
        conflicts.append(len(lines) + 1)
        for marker, side in ((YOURS, region.yours), (_BETWEEN, region.generated)):
            lines += [f"{marker}{newline}", *_ended(side, newline)]
        lines.append(f"{GENERATED}{newline}")
    return Merged("".join(lines), tuple(conflicts))


def has_markers(text: str) -> bool:
    """Whether a text still has a conflict that nobody has resolved."""
    return any(line.rstrip("\r\n") == YOURS for line in text.splitlines())


@dataclass(frozen=True)
class _Conflict:
    yours: list[str]
    generated: list[str]


def _ended(lines: list[str], newline: str) -> list[str]:
    """Lines, the last of which ends with a line break although it was the end of its file."""
    if lines and not lines[-1].endswith(("\n", "\r")):
        return [*lines[:-1], lines[-1] + newline]
    return lines


def _regions(
    base: Sequence[str], yours: Sequence[str], generated: Sequence[str]
) -> Iterator[list[str] | _Conflict]:
    """Merge line by line; return the merged lines and the conflicts."""
    at_base = at_yours = at_generated = 0
    for start, end, in_yours, in_generated in _kept_by_both(base, yours, generated):
        yield _combined(
            list(base[at_base:start]),
            list(yours[at_yours:in_yours]),
            list(generated[at_generated:in_generated]),
        )
        length = end - start
        yield list(base[start:end])
        at_base, at_yours, at_generated = end, in_yours + length, in_generated + length


def _combined(base: list[str], yours: list[str], generated: list[str]) -> list[str] | _Conflict:
    if yours in (base, generated):
        return generated
    return yours if generated == base else _Conflict(yours, generated)


def _kept_by_both(
    base: Sequence[str], yours: Sequence[str], generated: Sequence[str]
) -> Iterator[tuple[int, int, int, int]]:
    """Ranges of the base that both sides kept, with their positions; an empty one at the end."""
    mine, other = _kept(base, yours), _kept(base, generated)
    first = second = 0
    while first < len(mine) and second < len(other):
        start = max(mine[first][0], other[second][0])
        end = min(sum(mine[first][::2]), sum(other[second][::2]))
        if start < end:
            in_yours = mine[first][1] + start - mine[first][0]
            in_generated = other[second][1] + start - other[second][0]
            yield start, end, in_yours, in_generated
        if sum(mine[first][::2]) < sum(other[second][::2]):
            first += 1
        else:
            second += 1
    yield len(base), len(base), len(yours), len(generated)


def _kept(base: Sequence[str], side: Sequence[str]) -> list[tuple[int, int, int]]:
    """Ranges that a side kept: where in the base, where in the side, how many lines."""
    matcher = SequenceMatcher(None, base, side, autojunk=False)
    return [(block.a, block.b, block.size) for block in matcher.get_matching_blocks() if block.size]
