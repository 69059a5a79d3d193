"""Migrate a file that is too large for one tree: a piece of its statements at a time.

Each piece is analysed behind the head of the file, its first statements, where imports, settings
and helpers are. What goes from one piece to another is not followed, and a finding says so. A
rule that has very many findings in the file lists the first of them and counts the others.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from ascendify.findings import Effort, Finding, Span, Status
from ascendify.migrate.analyse import CRASH_CODE, Analyser
from ascendify.migrate.passes import migrate_python
from ascendify.reports.model import FileAction, FileResult
from ascendify.reports.wording import plural
from ascendify.source.module import Module
from ascendify.source.scopes import scope_of
from ascendify.source.statements import cut, starts
from ascendify.source.text import SourceText


@dataclass(frozen=True)
class Sizes:
    """When a file is large and how it is cut, in characters."""

    whole: int = 1_000_000
    """A larger file is cut into pieces, and a larger statement is not analysed: a tree and what
    rules remember of it take about 700 bytes for each character."""
    piece: int = 200_000
    head: int = 20_000
    listed: int = 1_000
    """How many findings of a rule are listed one by one."""


SIZES = Sizes()
Moved = Callable[[float, str], None]
"""Called with the part of a file that is done, from 0 to 1, and the text to show."""

_MARK = "# ascendify analyses the piece of the file below this line"
_NAME = re.compile(r"(?:\"[^\"\\\n]*\"|'[^'\\\n]*')|#[^\n]*|(\b[^\W\d]\w*)")
_TARGET = re.compile(r"([^\W\d]\w*)\s*(?::[^=\n]*)?=")
_OF_DATA = frozenset({"True", "False", "None"})
_WORDS = ("cuda", "gpu", "nccl", "nvidia")
"""A table of data that contains one of these words in lower case may concern a rule."""
_IMPORT = re.compile(r"(?:import|from)\b")
_SHOWN = 5


def is_large(size: int) -> bool:
    """Whether a file of this many bytes is migrated in pieces."""
    return size > SIZES.whole


def migrate_large(
    analyser: Callable[[], Analyser], path: str, source: SourceText, moved: Moved | None = None
) -> FileResult:
    """Analyse and fix a large Python file, one piece after the other.

    Args:
        analyser: Gives an analyser for a piece; what was kept for the one before is let go.
        path: Where the file is in the project.
        source: Its text.
        moved: Called after each piece.
    """
    head = _head(source.text)
    file = _LargeFile(path, source, source.text[:head])
    ranges = [(head + start, head + end) for start, end in cut(source.text[head:], SIZES.piece)]
    if all(end - start > SIZES.whole for start, end in ranges):
        file.migrate(analyser, head, head)
    for start, end in ranges:
        if end - start > SIZES.whole:
            file.pass_over(start, end)
        else:
            file.migrate(analyser, start, end)
        if moved is not None:
            line, last = source.position(end)[0], len(source.line_starts)
            moved(end / len(source.text), f"{path}, line {line:,} of {last:,}")
    return file.result()


def _head(text: str) -> int:
    """Return the end of the file's first statements, and of imports that follow soon."""
    end = last = 0
    for start in starts(text):
        if start > SIZES.piece:
            break
        if start <= SIZES.head or _IMPORT.match(text, last):
            end = start
        last = start
    return end


@dataclass(frozen=True)
class _Piece:
    """Some statements of a file behind its head, as a text that is analysed by itself.

    The statements stay on their lines: blank ones stand for what is left out, so that findings name
    the lines of the file.
    """

    head: str
    body: str
    line: int
    """The line of the file on which the body starts."""
    newline: str

    @property
    def text(self) -> str:
        """The head and the body, with a marker line between them."""
        return self.head + self._between + self.body

    @property
    def _between(self) -> str:
        missing = max(self.line - _line_ends(self.head) - 2, 0)
        return self.newline * missing + _MARK + self.newline

    def halves(self, after: str | None) -> tuple[str, str]:
        """Return head and body of the rewritten text; None: nothing was rewritten."""
        if after is None:
            return self.head, self.body
        head, between, body = after.partition(self._between)
        if not between:
            raise ValueError("a rewrite removed the mark between head and piece")
        return head, body


@dataclass
class _Names:
    """Names that pieces of a file define, and names that they use from other pieces."""

    bound: dict[str, int] = field(default_factory=dict)
    """The piece that bound a name; -1 where several did."""
    free: dict[str, int] = field(default_factory=dict)
    """The first piece that reads a name before it binds it."""

    def take(self, number: int, module: Module, head: int) -> None:
        """Add the names of a piece, which follows this many lines of head."""
        scope = module.index.module
        for name, bindings in scope.bindings.items():
            if any(getattr(item.node, "lineno", 0) > head for item in bindings):
                self.bind(name, number)
        for name, reads in scope.reads.items():
            if name in self.free or hasattr(builtins, name):
                continue
            lines = (getattr(item.node, "lineno", 0) for item in scope.bindings.get(name, ()))
            bound = min((line for line in lines if line > head), default=0)
            if any(
                node.lineno > head
                and (not bound or node.lineno <= bound)
                and scope_of(node).find(name) in (None, scope)
                for node in reads
            ):
                self.free[name] = number

    def bind(self, name: str, number: int) -> None:
        """Note that a piece binds a name."""
        self.bound[name] = number if self.bound.get(name, number) == number else -1

    def crossing(self) -> list[str]:
        """Return the names that are bound in one piece and read in another."""
        return [
            name for name, number in self.free.items() if self.bound.get(name, number) != number
        ]


class _Collected:
    """The findings of a file: the first of each rule one by one, and how many follow."""

    def __init__(self) -> None:
        self._listed: dict[object, list[Finding]] = {}
        self._last: dict[object, Finding] = {}
        self._of_head: set[Finding] = set()

    def add(self, finding: Finding) -> None:
        """Take a finding."""
        key = (finding.code, finding.status, finding.possible)
        listed = self._listed.setdefault(key, [])
        if len(listed) < SIZES.listed:
            listed.append(finding)
            return
        first = self._last.get(key)
        if first is None:
            self._last[key] = replace(finding, cause="")
            return
        effort = max(first.effort, finding.effort, key=lambda item: item.rank)
        self._last[key] = replace(first, unlisted=first.unlisted + 1, effort=effort)

    def add_once(self, finding: Finding) -> None:
        """Take a finding about the head, which every piece has again."""
        if finding not in self._of_head:
            self._of_head.add(finding)
            self.add(finding)

    def all(self) -> Iterator[Finding]:
        """Yield all listed findings, and for each rule one for those that are only counted."""
        for key, listed in self._listed.items():
            yield from listed
            rest = self._last.get(key)
            if rest is not None and rest.unlisted:
                more = f"; {rest.unlisted:,} more places of this rule are not listed"
                yield replace(rest, found=rest.found + more)
            elif rest is not None:
                yield rest


class _LargeFile:
    """A large file while its pieces are migrated."""

    def __init__(self, path: str, source: SourceText, head: str) -> None:
        self._path = path
        self._source = source
        self._head = head
        self._head_lines = _line_ends(head)
        self._new_head = head
        self._covered = {head}
        """Heads that pieces needed, which the new one replaces."""
        self._after: list[str] = []
        self._findings = _Collected()
        self._apis: dict[str, list[int]] = {}
        self._names = _Names()
        self._migrated = False
        self._pieces = 0
        """How many were analysed."""

    def migrate(self, analyser: Callable[[], Analyser], start: int, end: int) -> None:
        """Migrate a range of the text as a piece."""
        number, line = len(self._after), self._source.position(start)[0]
        piece = _Piece(self._head, self._source.text[start:end], line, self._source.newline)
        follows = start == len(self._head)
        text = self._source.text[:end] if follows else piece.text
        result = self._migrated_text(analyser(), text, number)
        after = result.after
        if follows and after is not None:
            # once more with the mark, which has no line between the head and the first piece
            after = self._migrated_text(analyser(), piece.text).after
        head, body = piece.halves(after)
        if head not in self._covered:
            # the piece needs an import that no piece before needed
            self._covered.add(head)
            piece = replace(piece, head=self._new_head)
            again = self._migrated_text(analyser(), piece.text)
            self._new_head, body = piece.halves(again.after)
            self._covered.add(self._new_head)
        self._after.append(body)
        self._pieces += 1
        self._migrated = self._migrated or result.migrated
        for finding in result.findings:
            add = self._findings.add_once if self._is_in_head(finding) else self._findings.add
            add(finding)
        for name, lines in result.apis.items():
            known = self._apis.setdefault(name, [])
            known.extend(at for at in lines if at > self._head_lines or self._pieces == 1)

    def _is_in_head(self, finding: Finding) -> bool:
        return finding.span.line <= self._head_lines

    def _migrated_text(
        self, analyser: Analyser, text: str, number: int | None = None
    ) -> FileResult:
        """Migrate the text of a piece; take the names of a piece with a number."""
        source = SourceText(text, self._source.encoding, self._source.bom)
        module = Module.parse_text(self._path, source)
        with analyser.resolver.overlay(module):
            result = migrate_python(analyser, module)
            if number is not None:
                self._names.take(number, module, self._head_lines)
        return result

    def pass_over(self, start: int, end: int) -> None:
        """Leave a statement as it is that is too large to analyse."""
        text = self._source.text[start:end]
        target = _TARGET.match(text)
        if target is not None:
            self._names.bind(target[1], len(self._after))
        self._after.append(text)
        line, last = self._source.position(start)[0], self._source.position(end - 1)[0]
        found = (
            f"a statement of {len(text):,} characters, up to line {last:,}, is too large to analyse"
        )
        place = Finding(CRASH_CODE, Status.INFO, self._path, Span(line, 1, line, 1), found)
        if target is not None and _is_data(text, target.end()):
            place = replace(place, found=f"{found}; it is a table of data")
        else:
            todo = "Check it by hand, or split it into smaller statements and migrate again."
            place = replace(place, status=Status.MANUAL, todo=todo, effort=Effort.HOURS)
        self._findings.add(place)

    def result(self) -> FileResult:
        """Return the result of the whole file."""
        after = self._new_head + "".join(self._after)
        changed = after != self._source.text
        return FileResult(
            self._path,
            FileAction.CHANGED if changed else FileAction.UNCHANGED,
            before=self._source.text if changed else None,
            after=after if changed else None,
            migrated=self._migrated,
            encoding=self._source.codec,
            findings=(self._about_pieces(), *self._findings.all()),
            apis=self._apis,
        )

    def _about_pieces(self) -> Finding:
        """Return the finding that says that the file was cut into pieces, and what that hides."""
        found = (
            f"the file is large ({len(self._source.line_starts):,} lines): it was analysed in"
            f" {plural(self._pieces, 'piece')}, each by itself behind the first"
            f" {self._head_lines:,} lines"
        )
        crossing = self._names.crossing()
        at = Span(1, 1, 1, 1)
        if not crossing:
            return Finding(CRASH_CODE, Status.INFO, self._path, at, found)
        listed = ", ".join(crossing[:_SHOWN])
        if len(crossing) > _SHOWN:
            listed += f" and {len(crossing) - _SHOWN:,} more"
        return Finding(
            CRASH_CODE,
            Status.MANUAL,
            self._path,
            at,
            f"{found}; names that one piece binds and another uses were not followed: {listed}",
            todo="Check by hand what uses these names, or split the file and migrate again.",
            effort=Effort.HOURS,
        )


def _line_ends(text: str) -> int:
    return len(SourceText(text).line_starts) - 1


def _is_data(text: str, start: int) -> bool:
    """Whether a text has no name from an offset on, and no word that a rule may look for."""
    names = (match[1] for match in _NAME.finditer(text, start) if match[1])
    return all(name in _OF_DATA for name in names) and not _mentions(text, _WORDS)


def _mentions(text: str, words: Iterable[str]) -> bool:
    small = text.lower()
    return any(word in small for word in words)
