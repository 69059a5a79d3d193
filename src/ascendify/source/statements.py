"""Cut a text between statements of the outermost level, without parsing it.

A tree takes a few hundred times the memory of its text, so that of a very large file is made a
piece at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

_SCANNED = re.compile(
    r"""
      \"{3} [^"\\]* (?: (?: \\. | "(?!"") ) [^"\\]* )* \"{3}
    | '{3}  [^'\\]* (?: (?: \\. | '(?!'') ) [^'\\]* )* '{3}
    | "     [^"\\\r\n]* (?: \\(?:\r\n|.) [^"\\\r\n]* )* "
    | '     [^'\\\r\n]* (?: \\(?:\r\n|.) [^'\\\r\n]* )* '
    | \#[^\r\n]*
    | \\(?:\r\n|\r|\n)
    | ([(\[{])
    | ([)\]}])
    | (?:\r\n|\r|\n) (?= ([^\s\#)\]}]) ) (?! (?:elif|else|except|finally)\b )
    """,
    re.X | re.S,
)
"""Strings, remarks and joined lines, which are passed over; brackets; and line ends before what may
be another statement."""
_OPEN, _CLOSE, _NEXT = 1, 2, 3

Range = tuple[int, int]
"""Two offsets of a text, the second exclusive."""


def starts(text: str) -> Iterator[int]:
    """Yield the offsets at which statements of the outermost level start, but for the first.

    Remarks and blank lines belong to the statement above them, and a decorator to its function.
    """
    depth = 0
    decorated = text.startswith("@")
    for match in _SCANNED.finditer(text):
        kind = match.lastindex
        if kind == _OPEN:
            depth += 1
        elif kind == _CLOSE:
            depth = max(depth - 1, 0)
        elif kind == _NEXT and not depth:
            if not decorated:
                yield match.end()
            decorated = match[_NEXT] == "@"


def cut(text: str, size: int) -> Iterator[Range]:
    """Cut a text into ranges of whole statements, of at most this many characters.

    A longer statement is a range of its own.
    """
    first = last = 0
    for start in chain(starts(text), (len(text),)):
        if start - first > size and last > first:
            yield first, last
            first = last
        last = start
    if last > first:
        yield first, last
