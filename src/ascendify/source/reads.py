"""Reads: which parts of a project an answer was read from.

An answer may be used again as long as everything it was read from is as it was. That is how the
resolver sets answers aside while one file has another text for a while, and how a cache knows
which files to analyse again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from typing import TypeVar

Read = tuple[str, ...]
"""A question a project answered: ``("file", "a/b.py")`` for the content of a file."""
Reads = frozenset[Read]

_Answer = TypeVar("_Answer")
_NONE: Reads = frozenset()
PARTS = ("name", "calling", "caller", "parses")
"""Kinds of reads of a part of a file, whose last word is a digest of that part: the definition of a
name and all it stands on, what calls of some names call, the surroundings of one of these calls,
whether the file can be parsed."""
_OF_CONTENT = frozenset(("file", "calls", "group", *PARTS))
"""Kinds of reads that depend on the content of the file they name."""


class Reading:
    """Records what is read to answer a question; equal sets of reads are one object."""

    def __init__(self) -> None:
        self.current: set[Reads] = set()
        """What was read for the answer that is being looked for."""
        self._single: dict[Read, Reads] = {}
        self._joined: dict[frozenset[Reads], Reads] = {}
        self._known: dict[Reads, Reads] = {}
        self._containing: dict[Read, list[Reads]] = {}
        """The sets of reads that have a certain read in them."""
        self._of_file: dict[str, list[Read]] = {}
        """Reads that depend on the content of a certain file."""
        self.only_contents = False
        """Whether only reads of contents count: answers are forgotten by the files they came from,
        and other questions about the project matter only to a cache."""
        self.groups: dict[Read, Reads] = {}
        """What stands behind reads that stand for many others."""

    def note(self, *read: str) -> None:
        """Something was read."""
        if self.only_contents and read[0] not in _OF_CONTENT:
            return
        single = self._single.get(read)
        if single is None:
            single = self._single[read] = self._one_object(frozenset((read,)))
            if read[0] in _OF_CONTENT and read[0] != "group":
                self._of_file.setdefault(read[1], []).append(read)
        self.current.add(single)

    def note_group(self, name: str, members: Reads) -> None:
        """All of some reads were read; one read with a name of its own stands for them.

        The callers of a function are looked for in thousands of files where all import one. As a
        set of its own for each function, that would take more memory than their trees.
        """
        if not members:
            return
        group = ("group", f"{name} {_digest(members)}")
        if group not in self.groups:
            self.groups[group] = members
            for path in {read[1] for read in members}:
                self._of_file.setdefault(path, []).append(group)
        self.note(*group)

    def from_file(self, path: str) -> Iterator[Reads]:
        """Every set of reads for which a certain file was looked into."""
        for read in self._of_file.get(path, ()):
            yield from self._containing.get(read, ())

    def clear(self) -> None:
        """Drop the sets of reads, when nobody keeps answers that refer to them."""
        for table in (self._single, self._joined, self._known, self._containing, self._of_file):
            table.clear()
        self.groups.clear()

    def of(self, compute: Callable[[], _Answer]) -> tuple[_Answer, Reads]:
        """Answer a question, and return what was read for the answer."""
        outer, self.current = self.current, set()
        try:
            answer = compute()
        finally:
            reads = self.leave(outer)
        return answer, reads

    def leave(self, outer: set[Reads]) -> Reads:
        """Return to the outer question, and return what was read for the inner one."""
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
            for read in reads:
                if read[0] in _OF_CONTENT:
                    self._containing.setdefault(read, []).append(reads)
        return known


def _digest(reads: Reads) -> str:
    text = repr(sorted(reads)).encode("utf-8", "replace")
    return hashlib.blake2b(text, digest_size=16).hexdigest()
