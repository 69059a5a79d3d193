"""Log formats: regular expressions over bytes, with a named group for each quantity."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NUMBER = rb"[-+.\deEinfatyINFATY]{1,32}"
"""Anything that may be a number, nan and infinity included; ``float()`` decides whether it is."""

Columns = Mapping[str, Sequence[Any]]
"""Values from lines of one kind, by field: numbers, their text, or None."""


@dataclass(frozen=True)
class ReadingKind:
    """Whether readings were made while training or while evaluating."""

    name: str


TRAIN, EVAL = ReadingKind("train"), ReadingKind("eval")


@dataclass(frozen=True)
class LinePattern:
    """A pattern for one kind of line of a format.

    The groups of the expression are fields: ``step``, ``epoch``, ``batch`` of ``batches``;
    ``loss``, ``accuracy``, ``eval_loss``, ``eval_accuracy``; ``seconds`` a step, ``interval`` in
    seconds since the line before, ``rate`` in steps a second; ``throughput`` of the whole job or
    ``own_throughput`` of this rank, in samples a second; ``samples`` in a step; ``time`` in
    seconds, ``centiseconds``; ``runtime`` of everything.
    """

    expression: re.Pattern[bytes]
    literal: bytes
    """Text that every such line has: searching it is far cheaper than trying the expression."""
    kind: ReadingKind = TRAIN

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the groups, in their order."""
        return tuple(self.expression.groupindex)

    def read(self, block: bytes) -> Columns | None:
        """Read all such lines of a block that has the literal; None where there is no such line."""
        rows = self.expression.findall(block)
        if not rows:
            return None
        fields = self.fields
        return {fields[0]: rows} if len(fields) == 1 else dict(zip(fields, zip(*rows)))


@dataclass(frozen=True)
class LogFormat:
    """The lines that one kind of program prints; readings of formats with one name are added up."""

    name: str
    marks: tuple[tuple[bytes, bytes], ...]
    """Pairs of texts of one line: one that several formats have, and one that only this has."""
    read: Callable[[bytes], Iterator[tuple[ReadingKind, Columns]]]
    first: tuple[bytes, ...] = ()
    """Texts that occur in every file of such a format, in its first block; a file without them is
    not one."""


def line(expression: bytes, literal: bytes, kind: ReadingKind = TRAIN) -> LinePattern:
    """Describe a line's form; ``<N>`` stands for a number."""
    return LinePattern(re.compile(expression.replace(b"<N>", NUMBER)), literal, kind)


def lines(
    name: str,
    marks: Iterable[tuple[bytes, bytes]],
    kinds_of_line: Iterable[LinePattern],
    first: tuple[bytes, ...] = (),
) -> LogFormat:
    """Describe a format by its lines."""
    known: dict[bytes, list[LinePattern]] = {}
    for one in kinds_of_line:
        known.setdefault(one.literal, []).append(one)

    def read(block: bytes) -> Iterator[tuple[ReadingKind, Columns]]:
        for literal, likely in known.items():
            if literal not in block:
                continue
            for one in likely:
                columns = one.read(block)
                if columns is not None:
                    yield one.kind, columns

    return LogFormat(name, tuple(marks), read, first)
