"""Notebooks: the code cells as one Python text and back, everything else in the file as it was.

Cells are joined with marker lines, so one analysis sees the whole notebook and names flow from
cell to cell. Lines only IPython understands are masked while Python looks at the text. Of the file
only the ``source`` of a changed cell is written anew; every other byte stays.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from ascendify.findings import Finding
from ascendify.source.module import Module
from ascendify.source.text import SourceError, SourceText

_MARK = "#%%ascendify:cell:"
_SPLIT = re.compile(rf"^{re.escape(_MARK)}(\d+)\r?\n", re.M)
_CELL_MAGIC = "#ascendify:ipython:"
MASK = "pass  #ascendify:ipython:"
CONTINUED = "pass  #ascendify:ipython+:"
_UNMASK = re.compile(
    rf"^[ \t]*{re.escape(CONTINUED)}|(?<=[ \t]){re.escape(MASK)}|^{re.escape(MASK)}"
    rf"|^{re.escape(_CELL_MAGIC)}",
    re.M,
)
_IPYTHON_LINE = re.compile(r"([ \t]*)((?:[%!?]|[\w.,\t ]+=\s*[%!]).*|[\w.]+\?{1,2}[ \t]*)$")
_PYTHON_CELL_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")
_BLANK = re.compile(r"[ \t\r\n]*")
_SIGN = re.compile(r"'''|\"\"\"|['\"#()\[\]{}]|\\.", re.S)
_CLOSING = {"'": "'", '"': '"', "s": "'''", "d": '"""'}
"""Open quote -> what closes the string; a letter stands for a triple quote."""


@dataclass(frozen=True)
class Notebook:
    """A notebook being migrated."""

    raw: str
    text: str
    """The code cells as one Python text."""
    unreadable: tuple[tuple[int, SourceError], ...] = ()
    """Code cells that are not Python, by their number, and why; they stay as they are."""

    @classmethod
    def read(cls, raw: str) -> Notebook:
        """Parse a notebook; raises :class:`SourceError` when it is not one."""
        try:
            sources = [
                (number, _source(cell))
                for number, cell in enumerate(json.loads(raw)["cells"])
                if cell["cell_type"] == "code"
            ]
        except (ValueError, KeyError, TypeError) as error:
            raise SourceError(f"not a notebook of format 4: {error}") from error
        parts: list[str] = []
        unreadable: list[tuple[int, SourceError]] = []
        for number, source in sources:
            if not _is_python(source):
                continue
            masked = _masked(source)
            try:
                Module.parse_text("", SourceText(masked))
            except SourceError as error:
                unreadable.append((number, error.kept()))
            else:
                parts.append(f"{_MARK}{number}\n{masked}\n")
        return cls(raw, "".join(parts), tuple(unreadable))

    def write(self, text: str) -> str:
        """Return the notebook's text with the code cells of ``text``."""
        parts = _SPLIT.split(text)
        spans = _source_spans(self.raw)
        found: list[str] = []
        done = 0
        for number, body in zip(parts[1::2], parts[2::2]):
            start, end = spans[int(number)]
            old = self.raw[start:end]
            source = _UNMASK.sub("", body[:-1])
            if source != _joined(json.loads(old)):
                found += [self.raw[done:start], _serialised(old, source, self.raw.isascii())]
                done = end
        return "".join([*found, self.raw[done:]])

    def place(self, finding: Finding) -> Finding:
        """A finding with its span counted inside its cell."""
        known = bisect_right(self._marks, (finding.span.line, len(self.raw)))
        if not known:
            return finding
        shift, cell = self._marks[known - 1]
        span = replace(
            finding.span,
            line=max(1, finding.span.line - shift),
            end_line=max(1, finding.span.end_line - shift),
        )
        return replace(finding, span=span, cell=cell)

    @cached_property
    def _marks(self) -> list[tuple[int, int]]:
        """The lines of the text at which cells begin, and the numbers of these cells."""
        lines = enumerate(self.text.split("\n"), 1)
        found = ((number, _SPLIT.match(line + "\n")) for number, line in lines)
        return [(number, int(match[1])) for number, match in found if match is not None]


def code(content: bytes) -> bytes:
    """The lines of all code cells; empty unless it is a notebook of format 4."""
    try:
        cells = json.loads(content)["cells"]
        lines = [_source(cell) for cell in cells if cell["cell_type"] == "code"]
    except (ValueError, KeyError, TypeError):
        return b""
    return "\n".join(lines).encode("utf-8", "replace")


def _source(cell: dict[str, Any]) -> str:
    return _joined(cell.get("source", ""))


def _joined(source: object) -> str:
    return "".join(source) if isinstance(source, list) else str(source)


def _is_python(source: str) -> bool:
    """Whether a cell is Python: the first line that says something is no magic of another kind."""
    lines = (line.strip() for line in source.split("\n"))
    first = next((line for line in lines if line and not line.startswith("#")), "")
    return not first.startswith("%%") or first.split()[0] in _PYTHON_CELL_MAGICS


def _masked(source: str) -> str:
    """A cell with the lines that only IPython understands hidden in comments."""
    found: list[str] = []
    indent: str | None = None
    inside, continued = "", False
    for line in source.split("\n"):
        match = None if inside or continued else _IPYTHON_LINE.match(line)
        if indent is not None:
            found.append(f"{indent}{CONTINUED}{line}")
        elif match is not None and match[2].startswith("%%"):
            found.append(f"{_CELL_MAGIC}{line}")
            continue
        elif match is not None:
            indent = match[1]
            found.append(f"{indent}{MASK}{match[2]}")
        else:
            found.append(line)
            inside = _inside(inside, line + "\n")
            continued = line.rstrip("\r").endswith("\\")
            continue
        indent = indent if line.rstrip("\r").endswith("\\") else None
    return "\n".join(found)


def _inside(stack: str, line: str) -> str:
    """The brackets and quotes that are open at the end of a line, given those open at its start."""
    for match in _SIGN.finditer(line):
        sign = match[0]
        closing = _CLOSING.get(stack[-1:])
        if closing is not None:
            # three quotes in a one-line string are its end and an empty string behind it
            stack = stack[:-1] if sign.startswith(closing) else stack
        elif sign == "#":
            break
        elif sign[0] in "'\"":
            stack += {"'''": "s", '"""': "d"}.get(sign, sign)
        elif sign in "([{":
            stack += sign
        elif sign in ")]}":
            stack = stack[:-1]
    # a string between single quotes ends with its line
    return stack.rstrip("'\"")


# --- the file --------------------------------------------------------------------------------


def _source_spans(raw: str) -> list[tuple[int, int]]:
    """Where the ``source`` of every cell stands in the file."""
    start = next(at for key, at, _ in _members(raw, _skip(raw, 0)) if key == "cells")
    return [
        next(((at, end) for key, at, end in _members(raw, cell) if key == "source"), (cell, cell))
        for cell, _ in _items(raw, start)
    ]


def _members(raw: str, start: int) -> Iterator[tuple[str, int, int]]:
    """Keys of the JSON object at an offset, and where their values stand."""
    decode = json.JSONDecoder().raw_decode
    at = _skip(raw, start + 1)
    while raw[at] != "}":
        key, at = decode(raw, at)
        at = _skip(raw, _skip(raw, at) + 1)
        _, end = decode(raw, at)
        yield key, at, end
        at = _skip(raw, end)
        at = _skip(raw, at + 1) if raw[at] == "," else at


def _items(raw: str, start: int) -> Iterator[tuple[int, int]]:
    """Where the items of the JSON array at an offset stand."""
    decode = json.JSONDecoder().raw_decode
    at = _skip(raw, start + 1)
    while raw[at] != "]":
        _, end = decode(raw, at)
        yield at, end
        at = _skip(raw, end)
        at = _skip(raw, at + 1) if raw[at] == "," else at


def _skip(raw: str, at: int) -> int:
    """Offset of the next character that is no white space."""
    match = _BLANK.match(raw, at)
    return match.end() if match else at


def _serialised(old: str, source: str, ascii_only: bool) -> str:
    """A cell's new source, written as the old one was: as text or as lines, in its layout."""
    if not old.startswith("["):
        return json.dumps(source, ensure_ascii=ascii_only)
    spans = list(_items(old, 0))
    written = {json.loads(old[start:end]): old[start:end] for start, end in spans}
    lines = [
        written.get(line) or json.dumps(line, ensure_ascii=ascii_only)
        for line in source.splitlines(keepends=True)
    ]
    if not spans:
        return f"[{', '.join(lines)}]"
    before, after = old[1 : spans[0][0]], old[spans[-1][1] : -1]
    joint = old[spans[0][1] : spans[1][0]] if len(spans) > 1 else f",{before or ' '}"
    return f"[{before}{joint.join(lines)}{after}]"
