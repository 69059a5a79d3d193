"""Notebooks: the code cells as one Python text and back, everything else in the file as it was.

Cells are joined with marker lines, so one analysis sees the whole notebook and names flow from
cell to cell. Lines only IPython understands are masked while Python looks at the text.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from ascendify.findings import Finding
from ascendify.source.text import SourceError

_MARK = "#%%ascendify:cell:"
_SPLIT = re.compile(rf"^{re.escape(_MARK)}(\d+)\n", re.M)
_MASK = "pass  #ascendify:ipython:"
_IPYTHON_LINE = re.compile(r"^([ \t]*)((?:[%!?]|[\w.,\t ]+=\s*[%!]).*|[\w.]+\?{1,2}[ \t]*)$")
_PYTHON_CELL_MAGICS = ("%%time", "%%timeit", "%%capture", "%%prun")


@dataclass(frozen=True)
class Notebook:
    """A notebook being migrated."""

    raw: str
    document: Any
    text: str
    """The code cells as one Python text."""

    @classmethod
    def read(cls, raw: str) -> Notebook:
        """Parse a notebook; raises :class:`SourceError` when it is not one."""
        try:
            document = json.loads(raw)
            cells = list(enumerate(document["cells"]))
        except (ValueError, KeyError, TypeError) as error:
            raise SourceError(f"not a notebook of format 4: {error}") from error
        parts = [
            f"{_MARK}{number}\n{_masked(source)}\n"
            for number, cell in cells
            if cell.get("cell_type") == "code" and _is_python(source := _source(cell))
        ]
        return cls(raw, document, "".join(parts))

    def write(self, text: str) -> str:
        """The notebook file with its code cells replaced by those of ``text``."""
        parts = _SPLIT.split(text)
        changed = json.loads(self.raw)
        for number, body in zip(parts[1::2], parts[2::2]):
            cell = changed["cells"][int(number)]
            source = body[:-1].replace(_MASK, "")
            if source != _source(cell):
                as_list = isinstance(cell["source"], list)
                cell["source"] = source.splitlines(keepends=True) if as_list else source
        return json.dumps(changed, **self._style()) + self._tail()

    def place(self, finding: Finding) -> Finding:
        """A finding with its span counted inside its cell."""
        lines = self.text.split("\n")
        for number in range(min(finding.span.line, len(lines)) - 1, -1, -1):
            match = _SPLIT.match(lines[number] + "\n")
            if match is not None:
                shift = number + 1
                span = replace(
                    finding.span,
                    line=max(1, finding.span.line - shift),
                    end_line=max(1, finding.span.end_line - shift),
                )
                return replace(finding, span=span, cell=int(match[1]))
        return finding

    def _style(self) -> dict[str, Any]:
        """How the file was serialised, so that untouched cells keep their bytes."""
        body = self.raw.rstrip("\n")
        for indent in (1, 2, 4, None, 0, "\t"):
            for ascii_only in (False, True):
                style = {"indent": indent, "ensure_ascii": ascii_only}
                if json.dumps(self.document, **style) == body:  # type: ignore[arg-type]  # a mixed dict
                    return style
        return {"indent": 1, "ensure_ascii": False}

    def _tail(self) -> str:
        return self.raw[len(self.raw.rstrip("\n")) :]


def _source(cell: dict[str, Any]) -> str:
    source = cell.get("source", "")
    return "".join(source) if isinstance(source, list) else str(source)


def _is_python(source: str) -> bool:
    first = source.lstrip().split("\n", 1)[0].strip()
    return not first.startswith("%%") or first.split()[0] in _PYTHON_CELL_MAGICS


def _masked(source: str) -> str:
    return "\n".join(
        f"{match[1]}{_MASK}{match[2]}" if (match := _IPYTHON_LINE.match(line)) else line
        for line in source.split("\n")
    )
