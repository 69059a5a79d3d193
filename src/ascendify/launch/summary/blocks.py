"""Read a log as blocks of whole lines; a log may contain any bytes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

_BLOCK = 1 << 17
"""Small enough to stay in the processor's cache while it is searched many times."""
_LONGEST_LINE = 1 << 16
_NEWLINE = b"\n"
# A carriage return ends a state of a progress bar. Backspaces are removed, and zero
# bytes too: this turns UTF-16 text into ASCII, if it is English.
_CONTROL = bytes.maketrans(b"\r", _NEWLINE)
_DROPPED = b"\x08\x00"
_ESCAPE = b"\x1b"
_ESCAPES = re.compile(rb"\x1b(?:\[[0-?]{0,32}[ -/]{0,8}[@-~]|\][^\x07\n]{0,200}\x07|[()][0-9A-Z])")
_UNFINISHED = re.compile(rb"[\w.+-]*\Z")


def blocks(file: Path, start: int = 0, end: int | None = None) -> Iterator[bytes]:
    """Yield blocks that begin and end with a newline, up to the file's size when it was opened.

    A very long line is passed on in pieces. If the last line has no newline its last word
    is left out, since it may not be complete yet.
    """
    rest = b""
    with file.open("rb", buffering=0) as stream:
        left = (os.fstat(stream.fileno()).st_size if end is None else end) - start
        stream.seek(start)
        while left > 0 and (chunk := stream.read(min(_BLOCK, left))):
            left -= len(chunk)
            text = _without_control(chunk)
            cut = text.rfind(_NEWLINE)
            if cut < 0 and len(rest) + len(text) > _LONGEST_LINE:
                cut = text.rfind(b" ")
            if cut < 0:
                rest = (rest + text)[-_LONGEST_LINE:]
                continue
            # one copy: copying takes most of the time of reading
            block = b"".join((_NEWLINE, rest, memoryview(text)[:cut], _NEWLINE))
            rest = text[cut + 1 :]
            yield _without_escapes(block)
    rest = _UNFINISHED.sub(b"", rest[-_LONGEST_LINE:])
    if rest:
        yield _without_escapes(_NEWLINE + rest + _NEWLINE)


def line_start(file: Path, near: int) -> int:
    """Return where a line begins soon after a position; 0 if none does."""
    with file.open("rb") as stream:
        stream.seek(near)
        text = stream.read(_LONGEST_LINE)
    end = text.find(_NEWLINE)
    return near + end + 1 if end >= 0 else 0


def _without_control(chunk: bytes) -> bytes:
    if b"\r" in chunk or b"\x08" in chunk or b"\x00" in chunk:
        return chunk.translate(_CONTROL, _DROPPED)
    return chunk


def _without_escapes(block: bytes) -> bytes:
    return _ESCAPES.sub(b"", block) if _ESCAPE in block else block
