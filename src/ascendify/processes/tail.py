"""Follow logs while they grow, and read their last lines after a failure."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from io import FileIO
from pathlib import Path
from typing import BinaryIO

_CHUNK = 1 << 16
_END_BYTES = 1 << 18
"""Bytes at the end of a log that are read."""
_PREFIX = re.compile(r"^\[rank\d+\]: ", re.MULTILINE)
"""The prefix that PyTorch adds to every line of a traceback in a process group."""
TRACEBACK = "Traceback (most recent call last):"


class Tail:
    """Copy new content of logs to a stream: of one log byte for byte, of several line by line."""

    def __init__(
        self, logs: Iterable[Path], stream: BinaryIO, prefixes: Iterable[str] | None = None
    ) -> None:
        self._logs = [Growing(log) for log in logs]
        self._stream = stream
        self._prefixes = None if prefixes is None else [text.encode() for text in prefixes]

    def advance(self, last: bool = False) -> None:
        """Copy what is new; at the end also a last line without a newline."""
        wrote = False
        for number, log in enumerate(self._logs):
            for chunk in log.new():
                self._write(number, log, chunk)
                wrote = True
            if last and log.rest:
                self._stream.write(self._prefix(number) + log.rest + b"\n")
                log.rest = b""
                wrote = True
        if wrote:
            self._stream.flush()

    def close(self) -> None:
        """Copy the rest and close the files."""
        self.advance(last=True)
        for log in self._logs:
            log.close()

    def _write(self, number: int, log: Growing, chunk: bytes) -> None:
        if self._prefixes is None:
            # Progress bars rewrite one line: their output is passed on at once.
            self._stream.write(chunk)
            return
        *lines, log.rest = (log.rest + chunk).split(b"\n")
        for line in lines:
            self._stream.write(self._prefix(number) + line + b"\n")

    def _prefix(self, number: int) -> bytes:
        return b"" if self._prefixes is None else self._prefixes[number]


class Growing:
    """A log that another process creates and writes."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: FileIO | None = None
        self.rest = b""

    def new(self) -> Iterator[bytes]:
        """Return what was added since the last call."""
        if self._file is None and self._path.exists():
            self._file = FileIO(self._path)
        while self._file is not None and (chunk := self._file.read(_CHUNK)):
            yield chunk

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


def last_lines(log: Path, usual: int = 20, most: int = 200) -> list[str]:
    """Return the end of a log: its traceback if it ends in one, including chained ones."""
    with log.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _END_BYTES))
        text = file.read().decode("utf-8", "replace")
    lines = _PREFIX.sub("", text.replace("\r\n", "\n")).rstrip().split("\n")[-most:]
    starts = [number for number, line in enumerate(lines) if line.startswith(TRACEBACK)]
    return lines[starts[0] if starts else -usual :]
