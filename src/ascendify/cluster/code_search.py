"""Find error codes in what a user names: a code, a log file, or standard input."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from ascendify.cluster.codes import FoundCode, explain, lookup, spellings
from ascendify.errors import UsageError, did_you_mean

STDIN = "-"
_LONGEST_LINE = 1 << 16
"""Bytes after which a line of a log is split in two."""


def find_in(name: str) -> list[FoundCode]:
    """Find the codes of a file, of standard input for ``-``, or the one of that name.

    Raises:
        UsageError: it is neither a file nor a known code.
    """
    if name == STDIN:
        return explain(_lines(sys.stdin.buffer))
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"{name} is a folder", f"name files: ascendify explain {path}/*.log")
    if path.exists():
        with path.open("rb") as file:
            return explain(_lines(file))
    code = lookup(name)
    if code is None:
        raise UsageError(
            f"{name} is neither a known code nor a file",
            did_you_mean(name, spellings(), "docs/error-codes.md lists the codes"),
        )
    return [FoundCode(code, 0, "")]


def _lines(file: BinaryIO) -> Iterator[str]:
    for line in iter(lambda: file.readline(_LONGEST_LINE), b""):
        yield line.decode("utf-8", "replace")
