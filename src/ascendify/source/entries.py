"""Entries of files that programs and tools read their settings from: YAML, JSON, TOML, INI.

Not parsers of the whole formats: they find every key and value with its exact place, so that an
edit of one value leaves all other bytes, comments included, as they are. What they do not
understand, such as the lines of a template, they pass over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Union

Key = Union[str, int]
"""The name of an entry, or its number in a list."""
_MAX_DEPTH = 60
"""Brackets nested deeper than any settings are."""
_YAML_KEY = re.compile(
    r"""(?:"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[^\s#\[\]{}"',&*!|>%@`:-][^\n]*?|[-:][^\s:][^\n]*?)
        [ \t]*:(?=[ \t\r\n]|$)""",
    re.X,
)
_BLOCK = re.compile(r"[|>][-+0-9]*[ \t]*(?:#[^\n]*)?\r?(?:\n|$)")
_PROPERTY = re.compile(r"(?:[&!][^\s,\[\]{}]*[ \t]+)+")
"""An anchor or a tag before a value."""
_ALONE = re.compile(r"(?:[&!][^\s,\[\]{}]*[ \t]*)+(?:#[^\n]*)?\r?(?:\n|$)")
"""An anchor or a tag of what stands in the lines below."""
_COMMENT = re.compile(r"[ \t]+#|[ \t]*(?:\r?\n|$)")
_TABLE = re.compile(r"\[+[ \t]*([^\]\n]+?)[ \t]*\]+[ \t]*(?:#[^\n]*)?$")
_TOML_NAME = r"(?:[\w-]+|\"[^\"\n]*\"|'[^'\n]*')"
_TOML_KEY = re.compile(rf"({_TOML_NAME}(?:[ \t]*\.[ \t]*{_TOML_NAME})*)[ \t]*=[ \t]*")
_INI_KEY = re.compile(r"([\w.@/-]+(?:[ \t][\w.-]+)*)[ \t]*[=:][ \t]*")


@dataclass(frozen=True)
class ConfigEntry:
    """One value that is no list or mapping, and where it stands."""

    keys: tuple[Key, ...]
    """Names and numbers from the top of the file down to it."""
    value: str
    """As written, without quotes."""
    start: int
    """Offset of the value, behind an opening quote."""
    quote: str
    """Its quotes, ``|`` or ``>`` for a block of lines, empty for a plain value."""
    key_start: int
    """Offset of its own key; of the value where it is an item of a list."""
    top: int
    """Offset of the line that begins it; a line with a dash where it begins an item."""
    flow: bool = False
    """Whether it stands in brackets or braces."""

    @property
    def end(self) -> int:
        """Offset past the value, before a closing quote."""
        return self.start + len(self.value)

    @property
    def name(self) -> str:
        """The last name above it: its own key, or the key of its list."""
        return next((key for key in reversed(self.keys) if isinstance(key, str)), "")

    @property
    def is_item(self) -> bool:
        """Whether it is an item of a list."""
        return bool(self.keys) and isinstance(self.keys[-1], int)


@lru_cache(maxsize=8)  # every rule looks at the same file before the next one comes
def read(path: str, text: str) -> tuple[ConfigEntry, ...]:
    """The entries of a file, in the order of the text; the suffix says its format."""
    suffix = path.rpartition(".")[2].lower()
    if suffix in ("yaml", "yml"):
        return tuple(_Yaml(text).read())
    if suffix == "json":
        return tuple(_Flow(text, ":").value_at(0, ()))
    if suffix == "toml" or path.rpartition("/")[2] in ("Pipfile", "uv.lock", "poetry.lock"):
        return tuple(_toml(text))
    return tuple(_ini(text))


def in_brackets(text: str, start: int) -> tuple[ConfigEntry, ...]:
    """The entries of a list or mapping in brackets that begins at an offset."""
    return tuple(_Flow(text, ":").value_at(start, ()))


class _Flow:
    """Values in brackets: JSON, and such parts of YAML and TOML."""

    def __init__(self, text: str, separator: str, top: int = 0) -> None:
        self.text = text
        self.separator = separator
        """What stands between key and value."""
        self.at = 0
        self.top = top

    def value_at(self, start: int, keys: tuple[Key, ...]) -> Iterator[ConfigEntry]:
        """The entries of the value that begins here; ``at`` is left behind it."""
        self.at = start
        self._space()
        yield from self._value(keys, self.at)

    def _value(self, keys: tuple[Key, ...], key_start: int) -> Iterator[ConfigEntry]:
        text = self.text
        given = _PROPERTY.match(text, self.at) if self.separator == ":" else None
        self.at = self.at if given is None else given.end()
        opening = text[self.at : self.at + 1]
        if opening in ("[", "{") and len(keys) < _MAX_DEPTH and not text.startswith("{{", self.at):
            self.at += 1
            yield from self._items(keys, "]" if opening == "[" else "}")
            return
        start, value, quote = self._scalar()
        yield ConfigEntry(keys, value, start, quote, key_start, self.top, flow=True)

    def _items(self, keys: tuple[Key, ...], closing: str) -> Iterator[ConfigEntry]:
        number = 0
        while self.at < len(self.text):
            self._space()
            char = self.text[self.at : self.at + 1]
            if char in ("]", "}"):
                self.at += 1
                return
            if char == ",":
                self.at += 1
                continue
            before = self.at
            if closing == "]":
                yield from self._value((*keys, number), self.at)
                number += 1
            else:
                yield from self._pair(keys)
            if self.at == before:
                self.at += 1  # what is not understood must not stop the reader

    def _pair(self, keys: tuple[Key, ...]) -> Iterator[ConfigEntry]:
        key_start, name, _ = self._scalar()
        self._space()
        if self.text[self.at : self.at + 1] == self.separator:
            self.at += 1
            self._space()
            yield from self._value((*keys, name), key_start)

    def _scalar(self) -> tuple[int, str, str]:
        """Start, text and quotes of the value or key at the current place."""
        text, start = self.text, self.at
        for quote in ('"""', "'''", '"', "'"):
            if text.startswith(quote, start):
                end = _closing(text, start + len(quote), quote)
                self.at = min(len(text), end + len(quote))
                return start + len(quote), text[start + len(quote) : end], quote
        while self.at < len(text) and text[self.at] not in ",]}\n":
            if text[self.at] == self.separator and (
                self.separator == "=" or text[self.at + 1 : self.at + 2] in ("", " ", "\n", "\r")
            ):
                break
            if text[self.at] == "#" and text[self.at - 1 : self.at] in (" ", "\t"):
                break
            self.at += 1
        return start, text[start : self.at].rstrip(), ""

    def _space(self) -> None:
        """Go to the next value: past spaces, line ends and comments."""
        text = self.text
        while self.at < len(text):
            if text[self.at] in " \t\r\n":
                self.at += 1
            elif text[self.at] == "#" or text.startswith("//", self.at):
                end = text.find("\n", self.at)
                self.at = len(text) if end < 0 else end
            else:
                return


def _closing(text: str, start: int, quote: str) -> int:
    """Offset of the quote that ends a text."""
    at = start
    while at < len(text):
        if text[at] == "\\" and quote[0] == '"':
            at += 2
        elif text.startswith(quote, at):
            if quote == "'" and text.startswith("''", at):
                at += 2
                continue
            return at
        else:
            at += 1
    return len(text)


@dataclass
class _Level:
    """A mapping or a list that lines of one indentation belong to."""

    column: int
    is_list: bool
    keys: tuple[Key, ...]
    current: Key = -1
    top: int = 0

    @property
    def path(self) -> tuple[Key, ...]:
        return (*self.keys, self.current)


class _Yaml:
    """Reads YAML line by line; brackets are left to :class:`_Flow`."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.levels: list[_Level] = []

    def read(self) -> Iterator[ConfigEntry]:
        text = self.text
        while self.at < len(text):
            line_end = text.find("\n", self.at)
            line_end = len(text) if line_end < 0 else line_end
            line = text[self.at : line_end]
            content = line.strip()
            if not content or content[0] == "#" or content.startswith(("%", "{{", "{%")):
                self.at = line_end + 1
                continue
            if line.startswith(("---", "...")):
                self.levels = []
                self.at = line_end + 1
                continue
            top = self.at
            column = len(line) - len(line.lstrip(" "))
            self.at += column
            before = self.at
            yield from self._content(column, top)
            if self.at <= before:
                self.at = line_end + 1

    def _content(self, column: int, top: int) -> Iterator[ConfigEntry]:
        """Read what stands at a column: an item, an entry, or a value alone."""
        text = self.text
        dash = re.compile(r"-(?:[ \t]+|(?=\r?\n|$))").match(text, self.at)
        if dash is not None:
            level = self._level(column, is_list=True)
            level.current = int(level.current) + 1 if isinstance(level.current, int) else 0
            level.top = top
            self.at = dash.end()
            if text[self.at : self.at + 1] in ("", "\r", "\n", "#") or _ALONE.match(text, self.at):
                self._next_line()
                return
            yield from self._content(column + dash.end() - dash.start(), top)
            return
        key = _YAML_KEY.match(text, self.at)
        if key is not None and not text.startswith(("{", "["), self.at):
            level = self._level(column, is_list=False)
            level.current = key[0].rstrip()[:-1].rstrip().strip("'\"")
            key_start = self.at
            self.at = key.end()
            yield from self._after_key(level, key_start, top)
            return
        keys = self.levels[-1].path if self.levels else ()
        yield from self._value(keys, self.at, column - 1, top)

    def _level(self, column: int, is_list: bool) -> _Level:
        """The mapping or list that a line of this indentation belongs to."""
        while self.levels:
            last = self.levels[-1]
            if last.column < column or (last.column == column and last.is_list == is_list):
                break
            if last.column == column and is_list:
                break  # a list may stand as deep as the key it belongs to
            self.levels.pop()
        above = self.levels[-1] if self.levels else None
        if above is None or above.column != column or above.is_list != is_list:
            self.levels.append(_Level(column, is_list, above.path if above else ()))
        return self.levels[-1]

    def _after_key(self, level: _Level, key_start: int, top: int) -> Iterator[ConfigEntry]:
        text = self.text
        while text[self.at : self.at + 1] in (" ", "\t"):
            self.at += 1
        empty = _COMMENT.match(text, self.at) or _ALONE.match(text, self.at)
        if empty or text[self.at : self.at + 1] == "#":
            self._next_line()
            return
        yield from self._value(level.path, key_start, level.column, top)

    def _value(
        self, keys: tuple[Key, ...], key_start: int, column: int, top: int
    ) -> Iterator[ConfigEntry]:
        """Read the value at the current place, of an entry whose key stands at a column."""
        text = self.text
        given = _PROPERTY.match(text, self.at)
        if given is not None:
            self.at = given.end()
        block = _BLOCK.match(text, self.at)
        if block is not None:
            quote = text[self.at]
            self.at = block.end()
            start = self.at
            self.at = self._end_of_block(column)
            yield ConfigEntry(keys, text[start : self.at], start, quote, key_start, top)
            return
        char = text[self.at : self.at + 1]
        if char in ("[", "{") and not text.startswith("{{", self.at):
            flow = _Flow(text, ":", top)
            yield from flow.value_at(self.at, keys)
            self.at = flow.at
        elif char in ("'", '"'):
            start = self.at + 1
            end = _closing(text, start, char)
            self.at = end + 1
            yield ConfigEntry(keys, text[start:end], start, char, key_start, top)
        else:
            start = self.at
            end = self._end_of_plain(column)
            yield ConfigEntry(keys, text[start:end], start, "", key_start, top)
        self._next_line()

    def _end_of_plain(self, column: int) -> int:
        """Past a plain value, which goes on in lines that are indented more."""
        text = self.text
        end = self.at
        while True:
            stop = _COMMENT.search(text, self.at)
            if stop is None:  # the end of the text matches, so this does not happen
                return len(text)
            end = stop.start()
            if text[stop.start() : stop.end()].endswith("#") or stop.end() >= len(text):
                self.at = stop.start()
                return end
            line = re.compile(r"( *)([^\s#][^\n]*)").match(text, stop.end())
            if line is None or len(line[1]) <= column or _YAML_KEY.match(line[2]):
                self.at = stop.start()
                return end
            self.at = line.start(2)

    def _end_of_block(self, column: int) -> int:
        """Past the lines of a block, which are indented more than its key."""
        text, at = self.text, self.at
        end = at
        while at < len(text):
            line_end = text.find("\n", at)
            line_end = len(text) if line_end < 0 else line_end
            line = text[at:line_end]
            if line.strip():
                if len(line) - len(line.lstrip(" ")) <= column:
                    break
                end = min(len(text), line_end + 1)
            at = line_end + 1
        return end

    def _next_line(self) -> None:
        end = self.text.find("\n", self.at)
        self.at = len(self.text) if end < 0 else end + 1


def _toml(text: str) -> Iterator[ConfigEntry]:
    """The entries of TOML."""
    table: tuple[Key, ...] = ()
    at = 0
    while at < len(text):
        line_end = text.find("\n", at)
        line_end = len(text) if line_end < 0 else line_end
        top = at
        while text[at : at + 1] in (" ", "\t"):
            at += 1
        header = _TABLE.match(text[at:line_end].rstrip())
        key = _TOML_KEY.match(text, at, line_end)
        if header is not None and key is None:
            table = _dotted(header[1])
        elif key is not None:
            flow = _Flow(text, "=", top)
            flow.at = key.end()
            found = list(flow._value((*table, *_dotted(key[1])), at))
            for entry in found:
                is_flow = text[key.end() : key.end() + 1] in ("[", "{")
                yield ConfigEntry(
                    entry.keys, entry.value, entry.start, entry.quote, entry.key_start, top, is_flow
                )
            line_end = text.find("\n", flow.at)
            line_end = len(text) if line_end < 0 else line_end
        at = line_end + 1


def _dotted(name: str) -> tuple[Key, ...]:
    """The parts of a dotted name; a quoted part is one."""
    return tuple(part.strip("'\"") for part in re.findall(r"\"[^\"]*\"|'[^']*'|[^.\s]+", name))


def _ini(text: str) -> Iterator[ConfigEntry]:
    """The entries of INI files and others with a name and a value in each line."""
    section: tuple[Key, ...] = ()
    at = 0
    for line in text.splitlines(keepends=True):
        content = line.strip()
        header = _TABLE.match(content)
        if header is not None:
            section = (header[1],)
        elif content and content[0] not in "#;/":
            start = at + len(line) - len(line.lstrip())
            key = _INI_KEY.match(text, start)
            if key is not None:
                flow = _Flow(text, "=" if "=" in key[0] else ":", at)
                flow.at = key.end()
                found = flow._scalar()
                if key.end() < at + len(line.rstrip("\r\n")):
                    value = found[1] if found[2] else re.split(r"\s;", found[1])[0].rstrip()
                    yield ConfigEntry((*section, key[1]), value, found[0], found[2], start, at)
        at += len(line)
