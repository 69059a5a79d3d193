"""Read one log once: recognise its formats, collect their readings, find tracebacks."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ascendify.launch.summary.blocks import blocks
from ascendify.launch.summary.clock import wall_seconds
from ascendify.launch.summary.formats import IN_LOGS, MEASURE
from ascendify.launch.summary.patterns import LogFormat
from ascendify.launch.summary.tally import Tally

MEASURED = ".jsonl"
"""The ending of files that ``--measure`` writes."""
_TRACEBACK = b"Traceback (most recent call last):"
_AROUND = 1 << 14
"""Bytes in which the end of a traceback is searched."""
_BATCH_SIZE = re.compile(
    rb"(?i)(?:(?:per_device_)?(?:train_)?batch[_ -]?size(?:[_ ]per[_ ](?:device|gpu|rank))?|\bbs)"
    rb"[\"']?(?:,value)?\s{0,3}[=: ,]\s{0,3}(\d{1,7})\b"
)


@dataclass(frozen=True)
class Piece:
    """Whole lines of a log."""

    file: Path
    start: int
    end: int


@dataclass
class Scan:
    """The readings and tracebacks of a log."""

    file: Path
    size: int
    tallies: dict[str, Tally] = field(default_factory=dict)
    """By the name of the format."""
    tracebacks: int = 0
    error: str = ""
    """The last line of the first traceback."""
    batch_size: int | None = None
    """The batch size printed near the beginning of the log."""
    wall_seconds: float | None = None
    """Between the first and the last time stamp."""

    def join(self, later: Scan) -> None:
        """Add the readings of the next piece of the same log."""
        self.size += later.size
        for name, tally in later.tallies.items():
            self.tallies.setdefault(name, Tally()).join(tally)
        self.tracebacks += later.tracebacks
        self.error = self.error or later.error


def scan(piece: Piece) -> Scan:
    """Read a piece of a log."""
    file = piece.file
    found = Scan(file, piece.end - piece.start)
    if file.suffix == MEASURED:
        tally = found.tallies[MEASURE.name] = Tally()
        for block in blocks(file, piece.start, piece.end):
            _tally(MEASURE, tally, block)
        return found
    first = next(blocks(file), b"")
    known, tracebacks = _Known(first), _Tracebacks()
    for block in blocks(file, piece.start, piece.end):
        for format_ in known.formats_of(block):
            _tally(format_, found.tallies.setdefault(format_.name, Tally()), block)
        tracebacks.look(block)
    found.tracebacks, found.error = tracebacks.count, tracebacks.error
    if piece.start == 0:
        found.batch_size = batch_size(first)
        found.wall_seconds = wall_seconds(file)
    return found


def batch_size(text: bytes) -> int | None:
    """The first batch size in a log or a command line."""
    match = _BATCH_SIZE.search(text)
    return int(match[1]) or None if match else None


def _tally(format_: LogFormat, tally: Tally, block: bytes) -> None:
    for kind, columns in format_.read(block):
        tally.take(kind, columns)


class _Known:
    """The formats seen in a log so far.

    Looking for the marks of every format in every block would take most of the time. Formats share
    literals: if a block lacks a literal, it has no line of the formats with that literal. If one
    format was recognised by a shared literal, others are searched only in some of the lines that
    have it: the first, the last and one between.
    """

    def __init__(self, first: bytes) -> None:
        self._formats = [one for one in IN_LOGS if any(mark in first for mark in one.first)]

    def formats_of(self, block: bytes) -> list[LogFormat]:
        for shared, candidates in _BY_LITERAL.items():
            new = [pair for pair in candidates if pair[1] not in self._formats]
            if not new or not _SEARCH[shared](block):
                continue
            explained = len(new) < len(candidates)
            text = b"".join(_some_lines(block, shared)) if explained else block
            self._formats += dict.fromkeys(format_ for mark, format_ in new if mark in text)
        return self._formats


def _by_literal() -> dict[bytes, list[tuple[bytes, LogFormat]]]:
    table: dict[bytes, list[tuple[bytes, LogFormat]]] = {}
    for format_ in IN_LOGS:
        for shared, mark in format_.marks:
            table.setdefault(shared, []).append((mark, format_))
    return table


_BY_LITERAL = _by_literal()
# for a short text that is absent this is twice as fast as ``in``
_SEARCH = {shared: re.compile(re.escape(shared)).search for shared in _BY_LITERAL}


def _some_lines(block: bytes, literal: bytes) -> Iterator[bytes]:
    middle = block.find(literal, len(block) // 2)
    for place in {block.find(literal), middle, block.rfind(literal)} - {-1}:
        yield block[block.rfind(b"\n", 0, place) : block.find(b"\n", place)]


class _Tracebacks:
    """Count tracebacks, and keep the error of the first one."""

    def __init__(self) -> None:
        self.count = 0
        self.error = ""
        self._begun = b""

    def look(self, block: bytes) -> None:
        """Count the tracebacks in a block; the first one may end in the next block."""
        here = block.count(_TRACEBACK)
        if not self.error and (here or self._begun):
            text = self._begun + block
            self.error = _last_words(text)
            start = text.rfind(b"\n", 0, text.find(_TRACEBACK))
            self._begun = b"" if self.error else text[start : start + _AROUND]
        self.count += here


def _last_words(block: bytes) -> str:
    """The line that ends the first traceback: the first one that is not indented."""
    start = block.find(_TRACEBACK)
    lead = start - block.rfind(b"\n", 0, start) - 1
    text = block[start : start + _AROUND].decode("utf-8", "replace")
    for line in text.split("\n")[1:]:
        # launchers put the rank in front of every line
        said = line[lead:]
        if said and not said.startswith((" ", "\t")):
            return said.strip()
    return ""
