"""Reads: which parts of a project an answer was read from.

An answer may be used again as long as everything it was read from is as it was. That is how the
resolver sets answers aside while one file has another text for a while, and how a cache knows
which files to analyse again.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Read = tuple[str, ...]
"""A question a project answered: ``("file", "a/b.py")`` for the content of a file."""
Reads = frozenset[Read]

_Answer = TypeVar("_Answer")
_NONE: Reads = frozenset()


class Reading:
    """Records what is being read; equal sets of reads are one object."""

    def __init__(self) -> None:
        self.current: set[Reads] = set()
        """What was read for the answer that is being looked for."""
        self._single: dict[Read, Reads] = {}
        self._joined: dict[frozenset[Reads], Reads] = {}
        self._known: dict[Reads, Reads] = {}
        self.containing: dict[str, list[Reads]] = {}
        """Every set of reads for which a certain file was looked into."""

    def note(self, *read: str) -> None:
        """Something was read."""
        single = self._single.get(read)
        if single is None:
            single = self._single[read] = self._one_object(frozenset((read,)))
        self.current.add(single)

    def of(self, compute: Callable[[], _Answer]) -> tuple[_Answer, Reads]:
        """An answer and what was read for it."""
        outer, self.current = self.current, set()
        try:
            answer = compute()
        finally:
            reads = self.leave(outer)
        return answer, reads

    def leave(self, outer: set[Reads]) -> Reads:
        """Go back to the question around one that is answered; gives what was read for it."""
        parts, self.current = self.current, outer
        if not parts:
            return _NONE
        reads = self._join(parts)
        outer.add(reads)
        return reads

    def _join(self, parts: set[Reads]) -> Reads:
        if len(parts) == 1:
            (only,) = parts
            return only
        key = frozenset(parts)
        joined = self._joined.get(key)
        if joined is None:
            joined = self._joined[key] = self._one_object(_NONE.union(*parts))
        return joined

    def _one_object(self, reads: Reads) -> Reads:
        known = self._known.setdefault(reads, reads)
        if known is reads:
            for path in {read[1] for read in reads if read[0] in ("file", "calls")}:
                self.containing.setdefault(path, []).append(reads)
        return known
