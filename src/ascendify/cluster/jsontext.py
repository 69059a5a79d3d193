"""Parse JSON that may have comments and trailing commas, with exact error positions.

Text that the fast standard parser refuses is parsed again here. That accepts what the vendor's
guides print (``//`` and ``#`` comments), and reports path, line and column of real errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

DEEPEST = 64
"""Levels of nesting; a rank table has nine at most."""
_MOST_DIGITS = 19
_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    |(?P<comment>(?://|\#)[^\n]*|/\*[\s\S]*?\*/)
    |(?P<string>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")
    |(?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
    |(?P<name>-?[A-Za-z_]\w*)
    |(?P<mark>[{}\[\]:,])""",
    re.VERBOSE | re.ASCII,
)
_LITERALS = {"true": True, "false": False, "null": None}


class JsonError(Exception):
    """The text is not JSON: what is wrong, and where."""

    def __init__(self, message: str, path: str, line: int, column: int) -> None:
        super().__init__(message)
        self.message = message
        self.place = f"{path} (line {line}, column {column})"


@dataclass(frozen=True)
class RelaxedJson:
    """A parsed value, and what in its text a strict parser would refuse."""

    value: Any
    comments: int = 0
    first_comment: int = 0
    """The line of the first comment."""
    commas: int = 0
    first_comma: int = 0
    """The line of the first comma before a closing bracket."""


def parse(text: str) -> RelaxedJson:
    """Parse a text; raises :exc:`JsonError`."""
    try:
        return RelaxedJson(json.loads(text, object_pairs_hook=_unique, parse_constant=_refuse))
    except (ValueError, RecursionError):
        return _Parser(text).parse()


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError
    return found


def _refuse(constant: str) -> Any:
    raise ValueError(constant)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._comments: list[int] = []
        self._commas: list[int] = []
        self._path: list[str] = ["$"]
        self._kind, self._lexeme, self._start = "start", "", 0
        self._tokens = self._lex()
        self._advance()

    def parse(self) -> RelaxedJson:
        if self._kind == "end":
            raise self._error("the file is empty" if not self._comments else "only comments")
        value = self._value()
        if self._kind != "end":
            raise self._error("there is more text after the end of the table")
        return RelaxedJson(
            value,
            len(self._comments),
            self._line(self._comments[0]) if self._comments else 0,
            len(self._commas),
            self._line(self._commas[0]) if self._commas else 0,
        )

    def _lex(self) -> Iterator[tuple[str, str, int]]:
        position = 0
        while position < len(self._text):
            match = _TOKEN.match(self._text, position)
            if match is None:
                self._start = position
                raise self._error(self._strange(self._text[position : position + 2]))
            kind = str(match.lastgroup)
            if kind == "comment":
                self._comments.append(position)
            elif kind != "space":
                yield kind, match.group(), position
            position = match.end()
        yield "end", "", position

    def _advance(self) -> None:
        self._kind, self._lexeme, self._start = next(self._tokens)

    def _value(self) -> Any:
        kind, lexeme = self._kind, self._lexeme
        if lexeme in ("{", "["):
            if len(self._path) > DEEPEST:
                raise self._error(f"nested deeper than {DEEPEST} levels")
            return self._object() if lexeme == "{" else self._array()
        value = self._scalar(kind, lexeme)
        self._advance()
        return value

    def _scalar(self, kind: str, lexeme: str) -> Any:
        if kind == "string":
            try:
                return json.loads(lexeme)
            except ValueError:
                raise self._error("a string with an escape that JSON does not have") from None
        if kind == "number":
            if len(lexeme) > _MOST_DIGITS:
                raise self._error(f"a number of {len(lexeme)} digits")
            try:
                return json.loads(lexeme)
            except ValueError:
                raise self._error("a number that starts with 0") from None
        if kind == "name" and lexeme in _LITERALS:
            return _LITERALS[lexeme]
        if kind == "name" and lexeme.lstrip("-") in ("NaN", "Infinity"):
            raise self._error(f"{lexeme} is not a JSON number")
        raise self._error("expected a value")

    def _object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        self._advance()
        while self._lexeme != "}" or self._kind != "mark":
            if self._kind != "string":
                raise self._error("expected a key in double quotes, or }")
            key = self._scalar(self._kind, self._lexeme)
            if key in found:
                raise self._error(f"the key {json.dumps(key)[:60]} appears twice")
            self._advance()
            self._path.append(f".{key}")
            self._expect(":")
            found[key] = self._value()
            self._path.pop()
            self._separate("}")
        self._advance()
        return found

    def _array(self) -> list[Any]:
        found: list[Any] = []
        self._advance()
        while self._lexeme != "]" or self._kind != "mark":
            self._path.append(f"[{len(found)}]")
            found.append(self._value())
            self._path.pop()
            self._separate("]")
        self._advance()
        return found

    def _expect(self, mark: str) -> None:
        if self._kind != "mark" or self._lexeme != mark:
            raise self._error(f"expected {mark}")
        self._advance()

    def _separate(self, end: str) -> None:
        if self._kind == "mark" and self._lexeme == ",":
            comma = self._start
            self._advance()
            if self._kind == "mark" and self._lexeme == end:
                self._commas.append(comma)
        elif self._kind != "mark" or self._lexeme != end:
            raise self._error(f"expected , or {end}")

    def _strange(self, start: str) -> str:
        if start == "/*":
            return "a comment that does not end"
        character = start[0]
        if character == '"':
            return "a string that does not end in its line, or has a control character"
        if character == "'":
            return "JSON strings have double quotes"
        return f"the character {json.dumps(character)} is not allowed here"

    def _error(self, message: str) -> JsonError:
        start = self._start
        column = start - self._text.rfind("\n", 0, start)
        if self._kind == "end":
            message = f"{message}, but the file ends" if message.startswith("expected") else message
        # Keys may contain any character; show the path on one short line.
        path = json.dumps("".join(self._path))[1:-1][:200]
        return JsonError(message, path, self._line(start), column)

    def _line(self, position: int) -> int:
        return self._text.count("\n", 0, position) + 1
