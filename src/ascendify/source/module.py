"""One parsed file: its text, its tree, its index of names, and positions of its nodes."""

from __future__ import annotations

import ast
import hashlib
import re
import sys
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from ascendify.source import scopes
from ascendify.source.definitions import Definitions
from ascendify.source.reads import Reading
from ascendify.source.text import SourceError, SourceText

_PYTHON2 = (
    (re.compile(r"^\s*print\s+[^\s(=.,)]", re.M), "print statement"),
    (re.compile(r"^\s*print\s*$", re.M), "print statement"),
    (re.compile(r"^\s*print\s*>>", re.M), "print statement"),
    (re.compile(r"^\s*except\s+[\w.()\s,]+,\s*\w+\s*:", re.M), "except clause with a comma"),
    (re.compile(r"^\s*exec\s+[^\s(=]", re.M), "exec statement"),
    (re.compile(r"^\s*raise\s+[\w.]+\s*,", re.M), "raise statement with a comma"),
    (re.compile(r"[\w)\]]\s*<>\s*[\w(\[]"), "<> operator"),
    (re.compile(r"\bur['\"]"), "ur'' string"),
    (re.compile(r"\b0[0-7]+\b(?![.xob])"), "octal literal without 0o"),
    (re.compile(r"`[^`\n]+`"), "backticks"),
    (re.compile(r"\b\d+[lL]\b"), "long integer literal"),
    (re.compile(r"\bdef\s+\w+\([^)]*\(\w+,"), "tuple parameter"),
)
_ASYNC = re.compile(r"[(,]\s*async\s*=")
"""An argument named ``async``, which is a keyword since Python 3.7."""

_WORD = re.compile(r"\w+")
_BETWEEN_WORDS = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) != "_"}

LARGEST = 3_000_000
"""Characters of the largest text that is parsed, line ends not counted.

A tree and what rules remember of it take about 700 bytes for each character of dense code: 2 GB for
a text of this size. Python files as large as that are analysed in pieces.
"""
_PARSER_IS_LIMITED = bool(sys.version_info >= (3, 11))
_MAY_NEST_DEEP = 100_000
_STACK_OF_A_CHARACTER = 250
_LARGEST_STACK = 1 << 30


def _parse(text: str) -> ast.Module:
    """Parse a text without ever running out of the C stack.

    Before Python 3.11 nothing limits how deep the parser follows a chain of calls, and a chain of a
    hundred thousand ends the process. There a long text is parsed in a thread whose stack is large
    enough for one that is a single chain.
    """
    if _PARSER_IS_LIMITED or len(text) < _MAY_NEST_DEEP:
        return ast.parse(text)
    results: list[ast.Module] = []
    errors: list[Exception] = []

    def run() -> None:
        try:
            results.append(ast.parse(text))
        except Exception as error:
            errors.append(error)

    usual = threading.stack_size(min(_STACK_OF_A_CHARACTER * len(text), _LARGEST_STACK))
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


@dataclass(frozen=True, eq=False)
class CallNames:
    """The names that a file calls, kept when its tree is dropped; compared by identity."""

    path: str
    digest: str
    """A digest of all names that calls in the file may have, which decide whose callers it has."""
    names: frozenset[str]
    """Last components of the names that the file calls, imports under another name, or derives
    from."""


class _WatchedTree(ast.Module):
    """A tree that notes who comes from one of its nodes to the statements beside it."""

    look: Callable[[], None]

    @property
    def body(self) -> list[ast.stmt]:  # type: ignore[override]  # a list as well, seen through
        self.look()
        return cast("list[ast.stmt]", self.__dict__["body"])


_WatchedTree.__name__ = ast.Module.__name__


class Module:
    """A parsed Python source file. Compared by identity.

    Where a project records what is read of it, a look at the text, the tree or the index counts as
    a look at the whole file. Inference takes :attr:`quiet_index`: what it sees of another file
    stands on the definition of a name, or on the calls of a function, which it notes.
    """

    def __init__(self, path: str, source: SourceText, tree: ast.Module) -> None:
        self.path = path
        """POSIX path relative to the project root."""
        self._source = source
        self._tree = tree
        self._reading: Reading | None = None

    def record_in(self, reading: Reading) -> None:
        """Record from now on when something looks at the file."""
        self._reading = reading
        if "quiet_index" in self.__dict__:
            self._tell_of_looks(self.quiet_index)

    def _tell_of_looks(self, index: scopes.Index) -> None:
        """Note looks at the file that start from a node of it."""
        index.module.looked_at = self.look
        watched = cast(Any, self._tree)
        watched.look = self.look
        watched.__class__ = _WatchedTree

    def look(self) -> None:
        """Note that something looks at the whole file."""
        if self._reading is not None:
            self._reading.note("file", self.path)

    @property
    def source(self) -> SourceText:
        """The text and how it is encoded."""
        if self._reading is not None:
            self._reading.note("file", self.path)
        return self._source

    @property
    def tree(self) -> ast.Module:
        """The syntax tree."""
        if self._reading is not None:
            self._reading.note("file", self.path)
        return self._tree

    @property
    def index(self) -> scopes.Index:
        """Scopes, bindings, calls and references, from one walk."""
        if self._reading is not None:
            self._reading.note("file", self.path)
        return self.quiet_index

    @classmethod
    def parse(cls, path: str, raw: bytes) -> Module:
        """Decode and parse; raises :class:`SourceError` with line and reason."""
        return cls.parse_text(path, SourceText.decode(raw))

    @classmethod
    def parse_text(cls, path: str, source: SourceText) -> Module:
        """Parse decoded text; raises :class:`SourceError` with line and reason."""
        size = len(source.text) - source.text.count("\n")
        if size > LARGEST:
            raise SourceError(
                f"too large to analyse: {size:,} characters in {len(source.line_starts):,} lines,"
                f" and at most {LARGEST:,} characters fit in memory; split or exclude the file"
            )
        try:
            with warnings.catch_warnings():
                # Odd escapes and comparisons in the user's code are the user's business.
                warnings.simplefilter("ignore")
                tree = _parse(source.text)
        except SyntaxError as error:
            raise _syntax_error(source.text, error) from error
        except (RecursionError, MemoryError) as error:
            raise SourceError("expressions are nested too deeply to parse") from error
        except ValueError as error:
            raise SourceError(str(error)) from error
        return cls(path, source, tree)

    @cached_property
    def quiet_index(self) -> scopes.Index:
        """The index for those who note themselves what they see of the file."""
        index = scopes.build(self._tree)
        if self._reading is not None:
            self._tell_of_looks(index)
        return index

    @cached_property
    def definitions(self) -> Definitions:
        """What the definitions in the file stand on."""
        index = self.quiet_index
        statements: list[ast.stmt] = self._tree.__dict__["body"]  # not seen by who watches the tree
        return Definitions(self._source, statements, index)

    def release(self) -> None:
        """Take the tree apart; the module cannot be used afterwards."""
        if "quiet_index" in self.__dict__:
            self.quiet_index.release()
            del self.quiet_index
            self._tree.__dict__.pop("look", None)  # else the file would hold itself

    def start(self, node: ast.AST) -> int:
        """Offset of a node's first character (of its first decorator, for a definition)."""
        self.look()
        return self._start(node)

    def _start(self, node: ast.AST) -> int:
        decorators = getattr(node, "decorator_list", None)
        if decorators:
            node = decorators[0]
            # a definition starts at its first decorator; the @ is before the expression
            return self._source.text.rfind("@", 0, self._start(node))
        return self._source.offset(node.lineno, node.col_offset)  # type: ignore[attr-defined]  # only for nodes with a position

    def end(self, node: ast.AST) -> int:
        """Offset just past a node's last character."""
        self.look()
        return self._end(node)

    def _end(self, node: ast.AST) -> int:
        return self._source.offset(node.end_lineno, node.end_col_offset)  # type: ignore[attr-defined]  # only for nodes with a position

    def segment(self, node: ast.AST) -> str:
        """The source text of a node."""
        return self._source.text[self._start(node) : self._end(node)]

    def indent(self, node: ast.AST) -> str:
        """The white space at the start of a node's line."""
        line = self._source.line(node.lineno)  # type: ignore[attr-defined]  # only for nodes with a position
        return line[: len(line) - len(line.lstrip(" \t\f"))]

    @property
    def indent_unit(self) -> str:
        """One level of the file's indentation; four spaces where nothing is indented."""
        self.look()
        return self._indent_unit

    @cached_property
    def _indent_unit(self) -> str:
        for node in self._tree.body:
            body = getattr(node, "body", None)
            if isinstance(body, list) and body and body[0].lineno != node.lineno:
                unit = self.indent(body[0])
                if unit:
                    return unit
        return "    "

    @property
    def functions_by_text(self) -> dict[str, list[ast.FunctionDef]]:
        """Functions at the outermost level by their text behind ``def name(``, lines cut alike."""
        self.look()
        return self._functions_by_text

    @cached_property
    def _functions_by_text(self) -> dict[str, list[ast.FunctionDef]]:
        found: dict[str, list[ast.FunctionDef]] = {}
        for node in self._tree.body:
            if isinstance(node, ast.FunctionDef):
                text = "\n".join(self.segment(node).splitlines())
                found.setdefault(text.partition("(")[2], []).append(node)
        return found

    @property
    def first_definition(self) -> ast.stmt | None:
        """The first function or class at the outermost level."""
        kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
        return next((node for node in self.tree.body if isinstance(node, kinds)), None)

    @property
    def imported_as(self) -> dict[str, list[str]]:
        """Names that only imports at the outermost level bind, by the dotted name they import."""
        self.look()
        return self._imported_as

    @cached_property
    def _imported_as(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name, bindings in self.quiet_index.module.bindings.items():
            origin = bindings[0].origin
            if all(
                binding.kind == "import"
                and binding.origin == origin
                and scopes.parent(binding.node) is self._tree
                for binding in bindings
            ):
                found.setdefault(origin, []).append(name)
        return found

    @cached_property
    def call_names(self) -> CallNames:
        """The names that the file calls; who asks for them notes that."""
        index = self.quiet_index
        text = repr(_named_calls(index))
        digest = hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
        names = frozenset((*index.calls_by_name, *index.renamed, *index.heirs))
        return CallNames(self.path, digest, names)

    @property
    def words(self) -> frozenset[str]:
        """Every word of the text: names, and what strings and remarks say.

        Rules ask for hundreds of names, nearly all of which a file does not mention.
        """
        self.look()
        return self._words

    @cached_property
    def _words(self) -> frozenset[str]:
        text = self._source.text
        if text.isascii():
            # half the time that the pattern takes
            return frozenset(text.translate(_BETWEEN_WORDS).split())
        return frozenset(_WORD.findall(text))

    @property
    def all_names(self) -> frozenset[str]:
        """Every identifier the file binds or reads, for choosing fresh ones."""
        self.look()
        return self._all_names

    @cached_property
    def _all_names(self) -> frozenset[str]:
        index = self.quiet_index
        return index.bound_names.union(index.module.reads)


def _named_calls(index: scopes.Index) -> object:
    return (
        sorted(index.calls_by_name),
        sorted((name, sorted(others)) for name, others in index.renamed.items()),
        sorted((name, sorted(others)) for name, others in index.heirs.items()),
    )


def _syntax_error(text: str, error: SyntaxError) -> SourceError:
    line, column = error.lineno or 1, error.offset or 1
    message = error.msg
    # only the line the parser stopped at: elsewhere such text may stand in a string or a remark
    stopped_at = "".join(re.split(r"\r\n|\r|\n", text)[line - 1 : line])
    if _ASYNC.search(stopped_at) is not None:
        reason = f"source for Python 3.6 or older (async= as an argument on line {line}): {message}"
        return SourceError(reason, line, column)
    for pattern, what in _PYTHON2:
        if pattern.search(stopped_at) is not None:
            reason = f"Python 2 source ({what} on line {line}): {message}"
            return SourceError(reason, line, column)
    return SourceError(message, line, column)
