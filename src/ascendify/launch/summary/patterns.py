"""What a log format is: regular expressions over bytes whose groups are named by what they tell."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NUMBER = rb"[-+.\deEinfatyINFATY]{1,32}"
"""A number, nan and infinity included, as wide as it may be; whether it is one float() decides."""

Columns = Mapping[str, Sequence[Any]]
"""What some lines of one kind told, a column a field: numbers, or their text, or nothing."""


@dataclass(frozen=True)
class Kind:
    """Whether readings were made while training or while evaluating."""

    name: str


TRAIN, EVAL = Kind("train"), Kind("eval")


@dataclass(frozen=True)
class Line:
    """One line of a format.

    The groups of the expression are fields: ``step``, ``epoch``, ``batch`` of ``batches``;
    ``loss``, ``accuracy``, ``eval_loss``, ``eval_accuracy``; ``seconds`` a step, ``interval`` in
    seconds since the line before, ``rate`` in steps a second; ``throughput`` of the whole job or
    ``own_throughput`` of this rank, in samples a second; ``samples`` in a step; ``time`` in
    seconds, ``centiseconds``; ``runtime`` of everything.
    """

    expression: re.Pattern[bytes]
    literal: bytes
    """In every such line: looking for it is far cheaper than trying the expression."""
    kind: Kind = TRAIN

    @property
    def fields(self) -> tuple[str, ...]:
        """The names of the groups, in their order."""
        return tuple(self.expression.groupindex)

    def read(self, block: bytes) -> Columns | None:
        """What all such lines of a block, which has the literal, tell; None when there is none."""
        rows = self.expression.findall(block)
        if not rows:
            return None
        fields = self.fields
        return {fields[0]: rows} if len(fields) == 1 else dict(zip(fields, zip(*rows)))


@dataclass(frozen=True)
class Format:
    """The lines that one kind of program prints; formats of one name are tallied together."""

    name: str
    marks: tuple[tuple[bytes, bytes], ...]
    """Pairs of a literal that formats share and one, in the same line, that tells this one."""
    read: Callable[[bytes], Iterator[tuple[Kind, Columns]]]
    first: tuple[bytes, ...] = ()
    """Marks of lines that fill a file of their own: they are in its first block or nowhere."""


def line(expression: bytes, literal: bytes, kind: Kind = TRAIN) -> Line:
    """Describe a line; ``<N>`` stands for a number."""
    return Line(re.compile(expression.replace(b"<N>", NUMBER)), literal, kind)


def lines(
    name: str,
    marks: Iterable[tuple[bytes, bytes]],
    kinds_of_line: Iterable[Line],
    first: tuple[bytes, ...] = (),
) -> Format:
    """Describe a format by its lines."""
    known: dict[bytes, list[Line]] = {}
    for one in kinds_of_line:
        known.setdefault(one.literal, []).append(one)

    def read(block: bytes) -> Iterator[tuple[Kind, Columns]]:
        for literal, likely in known.items():
            if literal not in block:
                continue
            for one in likely:
                columns = one.read(block)
                if columns is not None:
                    yield one.kind, columns

    return Format(name, tuple(marks), read, first)
