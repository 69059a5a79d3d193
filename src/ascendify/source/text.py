"""The bytes of a file as text, with everything needed to write them back unchanged."""

from __future__ import annotations

import codecs
import io
import re
import tokenize
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

_LINE_END = re.compile(r"\r\n|\r|\n")

_LONG_LINE = 400
"""Length from which the character positions of a line that is not ASCII are remembered."""


class SourceError(Exception):
    """A file that cannot be read as Python source; says where and why."""

    def __init__(self, reason: str, line: int = 1, column: int = 1) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line
        self.column = column

    def kept(self) -> SourceError:
        """The same error to put away: one that was raised holds every call it went through.

        A call holds its caller, so such an error would keep all trees of a run in memory.
        """
        return SourceError(self.reason, self.line, self.column)


@dataclass(frozen=True)
class SourceText:
    """Decoded text of one file. Edits use offsets into :attr:`text`."""

    text: str
    encoding: str = "utf-8"
    bom: bytes = b""

    @classmethod
    def decode(cls, raw: bytes) -> SourceText:
        """Decode as Python itself would: byte order mark, then encoding cookie, then UTF-8."""
        bom = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
        body = raw[len(bom) :]
        encoding = _declared_encoding(raw)
        try:
            text = body.decode(encoding)
        except UnicodeDecodeError as error:
            line = body.count(b"\n", 0, error.start) + 1
            reason = f"byte 0x{body[error.start]:02x} is not valid {encoding}"
            if encoding == "utf-8" and not bom:
                reason += " and the file declares no other encoding"
            raise SourceError(reason, line) from error
        source = cls(text, encoding, bom)
        if source.encode(text) != raw:
            raise SourceError(f"the file does not survive decoding and encoding as {encoding}")
        return source

    @property
    def codec(self) -> str:
        """Python's name of the encoding, byte order mark included."""
        return "utf-8-sig" if self.bom else self.encoding

    def encode(self, text: str) -> bytes:
        """Bytes of ``text`` in this file's encoding, with its byte order mark."""
        return self.bom + text.encode(self.encoding)

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of every line, as the parser splits lines."""
        if "\r" not in self.text:
            return [0, *accumulate(len(line) + 1 for line in self.text.split("\n")[:-1])]
        return [0, *(match.end() for match in _LINE_END.finditer(self.text))]

    @cached_property
    def newline(self) -> str:
        """The most frequent line end, which inserted lines get."""
        crlf = self.text.count("\r\n")
        if not crlf and "\r" not in self.text:
            return "\n"
        counts = {
            "\n": self.text.count("\n") - crlf,
            "\r\n": crlf,
            "\r": self.text.count("\r") - crlf,
        }
        return max(counts, key=lambda end: counts[end])

    @cached_property
    def _ascii(self) -> bool:
        return self.text.isascii()

    def offset(self, line: int, column: int) -> int:
        """Offset of a syntax tree position: lines from 1, columns in UTF-8 bytes from 0."""
        start = self.line_starts[line - 1]
        if self._ascii:
            return start + column
        text = self.line(line)
        if text.isascii():
            return start + column
        if len(text) < _LONG_LINE:
            return start + len(text.encode()[:column].decode(errors="ignore"))
        known = self._columns.get(line)
        if known is None:
            known = self._columns[line] = _columns(text)
        return start + known[min(column, len(known) - 1)]

    @cached_property
    def _columns(self) -> dict[int, list[int]]:
        """For long lines that were looked up: how many characters precede each byte."""
        return {}

    def line(self, line: int) -> str:
        """Text of a line, its line end included."""
        starts = self.line_starts
        end = starts[line] if line < len(starts) else len(self.text)
        return self.text[starts[line - 1] : end]

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset, both counted from 1, columns in characters."""
        line = bisect_right(self.line_starts, offset)
        return line, offset - self.line_starts[line - 1] + 1


def _columns(line: str) -> list[int]:
    """The number of characters before each byte of a line in UTF-8, and before its end."""
    found: list[int] = []
    for number, char in enumerate(line):
        found.extend([number] * len(char.encode("utf-8", "surrogatepass")))
    return [*found, len(line)]


def _declared_encoding(raw: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(raw).readline)
    except SyntaxError as error:
        raise SourceError(str(error.msg)) from error
    return "utf-8" if encoding == "utf-8-sig" else encoding
