"""Imports that a fix needs: reuse existing ones, choose free names, place new lines well."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from ascendify.source.edits import Edit
from ascendify.source.module import Module

_LINE_LENGTH = 100
"""Longer lines of imports are wrapped."""
_FIRST = (1, -1, 0)
"""Imports come before whatever else is put behind the statement they follow."""


@dataclass(frozen=True, order=True)
class Import:
    """``from module import name as local``; ``import module as local`` when ``name`` is empty."""

    module: str
    name: str = ""
    local: str = ""
    comment: str = ""
    """A remark to put behind the line, such as ``noqa: F401`` for an import made for its effect."""

    @property
    def spelling(self) -> str:
        """The name the file uses for it."""
        return self.local or self.name or self.module

    @property
    def statement(self) -> str:
        """The import as a statement."""
        plain = self.name or self.module
        alias = f" as {self.local}" if self.local and self.local != plain else ""
        line = f"from {self.module} import {self.name}" if self.name else f"import {self.module}"
        return line + alias + (f"  # {self.comment}" if self.comment else "")


def existing(module: Module, wanted: Import) -> str | None:
    """The name under which the module already imports it at top level, if it does."""
    origin = f"{wanted.module}.{wanted.name}" if wanted.name else wanted.module
    for name in module.imported_as.get(origin, ()):
        if not wanted.name and "." in wanted.module and name == wanted.module.partition(".")[0]:
            continue
        # a function or class of the file may use the name for something of its own
        if name not in module.index.inner_names or means_only(module, name, origin):
            return name
    starred = wanted.name and wanted.module in module.index.stars
    return wanted.name if starred and wanted.name not in module.index.bound_names else None


def means_only(module: Module, name: str, origin: str) -> bool:
    """Whether every binding of a name in the file is an import of the same thing."""
    bindings = [item for scope in module.index.scopes for item in scope.bindings.get(name, ())]
    return bool(bindings) and all(
        item.kind == "import" and item.origin == origin for item in bindings
    )


def free_name(module: Module, name: str, taken: Collection[str] = ()) -> str:
    """``name``, or ``name_2``, ``name_3`` ... when the file already uses it for something else."""
    used = module.all_names
    candidate, number = name, 2
    while candidate in used or candidate in taken:
        candidate, number = f"{name}_{number}", number + 1
    return candidate


def insertions(
    module: Module,
    wanted: Iterable[Import],
    anchors: tuple[str, ...],
    beside: Mapping[str, str] | None = None,
) -> list[Edit]:
    """The edits that add imports.

    ``import os`` and its kin go among the imports at the top. All others go after the block of
    imports that brings in an anchor, because scripts set environment variables before they import
    a framework; without one after the leading imports, else after docstring and ``__future__``.
    So do plain imports of the packages ``beside``; one that names a package goes right behind the
    plain import of that, where there is one.
    """
    beside = beside or {}
    items = set(wanted)
    top = {item for item in items if _is_standard(item) and item.module not in beside}
    places = [(item, _standard_place(module, item)) for item in sorted(top)]
    edits = [
        _before(module, place, [item.statement]) for item, place in places if place is not None
    ]
    rest = {item for item, place in places if place is None} | (items - top)
    for item in sorted(rest):
        plain = _plain_import(module, beside.get(item.module, "")) if _is_standard(item) else None
        if plain is not None:
            edits.append(_after(module, plain, [item.statement]))
            rest.remove(item)
    lines = _statements(rest)
    return [*edits, _after(module, _place(module, anchors), lines)] if lines else edits


def _plain_import(module: Module, package: str) -> ast.stmt | None:
    """The statement of the module that is ``import package``, under whatever name."""
    imports = (item for item in module.tree.body if isinstance(item, ast.Import))
    return next((item for item in imports if item.names[0].name == package), None)


def _is_standard(item: Import) -> bool:
    """Whether it is a plain ``import os``; the standard library is mostly imported this way."""
    return not item.name and "." not in item.module


def _standard_place(module: Module, item: Import) -> ast.stmt | None:
    """The leading import before which a standard module goes, if they are in alphabetical order."""
    leading = [
        statement
        for statement in _leading_imports(module.tree.body)
        if not (isinstance(statement, ast.ImportFrom) and statement.module == "__future__")
    ]
    later = (
        statement
        for statement in leading
        if isinstance(statement, ast.Import) and statement.names[0].name > item.module
    )
    return next(later, leading[0] if leading else None)


def _before(module: Module, place: ast.stmt, lines: list[str]) -> Edit:
    starts = module.source.line_starts
    line = place.lineno - 1
    while any(is_header(item) and item.end_lineno == line + 1 for item in module.tree.body):
        # ``"""Doc."""; import a``: nothing may come before the first statement of the line
        line += 1
    start = starts[line] if line < len(starts) else len(module.source.text)
    indent, newline = module.indent(place), module.source.newline
    return Edit(start, start, "".join(indent + line + newline for line in lines))


def _after(module: Module, place: ast.stmt | None, lines: list[str]) -> Edit:
    newline = module.source.newline
    if place is None:
        offset = _after_header(module)
        text = "".join(line + newline for line in lines)
        unfinished = offset and module.source.text[offset - 1] not in "\r\n"
        return Edit(offset, offset, newline + text if unfinished else text)
    end = module.end(place)
    rest = module.source.text[end:].split("\n", 1)[0].split("\r", 1)[0]
    if rest.strip() and not rest.lstrip().startswith("#"):
        # another statement is on the same line (``import a; b = 1``): insert before the line
        return _before(module, place, lines)
    indent = module.indent(place)
    end += len(rest)
    return Edit(end, end, "".join(newline + indent + line for line in lines), _FIRST)


def _statements(wanted: Iterable[Import]) -> list[str]:
    """The lines of the imports: names of one module merged, sorted, and wrapped if too long."""
    plain: dict[str, list[str]] = {}
    statements: set[str] = set()
    for item in set(wanted):
        if item.name not in ("", "*") and not item.comment:
            alias = f" as {item.local}" if item.local and item.local != item.name else ""
            plain.setdefault(item.module, []).append(item.name + alias)
        else:
            statements.add(item.statement)
    for name, names in plain.items():
        statements.add(f"from {name} import {', '.join(sorted(set(names)))}")
    ordered = sorted(statements, key=lambda line: (line.split()[1], line))
    return [line for statement in ordered for line in _wrapped(statement)]


def _wrapped(statement: str) -> list[str]:
    if len(statement) <= _LINE_LENGTH or ", " not in statement:
        return [statement]
    head, _, names = statement.partition(" import ")
    filled = textwrap.wrap(
        names + ")",
        _LINE_LENGTH,
        initial_indent="    ",
        subsequent_indent="    ",
        break_long_words=False,
    )
    return [f"{head} import (", *filled]


def _place(module: Module, anchors: tuple[str, ...]) -> ast.stmt | None:
    """The top-level statement after which new imports go."""
    body = module.tree.body
    for number, statement in enumerate(body):
        if any(_mentions(node, anchors) for node in _imports_in(statement)):
            last = number
            while last + 1 < len(body) and isinstance(body[last + 1], (ast.Import, ast.ImportFrom)):
                last += 1
            return body[last]
    return next(reversed(_leading_imports(body)), None)


def _leading_imports(body: list[ast.stmt]) -> list[ast.stmt]:
    """The imports at the top of a module, before any other statement."""
    found: list[ast.stmt] = []
    for number, statement in enumerate(body):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            found.append(statement)
        elif not (number == 0 and _is_docstring(statement)):
            break
    return found


def _imports_in(statement: ast.stmt) -> list[ast.stmt]:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return [statement]
    if isinstance(statement, ast.Try):
        return [item for item in statement.body if isinstance(item, (ast.Import, ast.ImportFrom))]
    return []


def _mentions(node: ast.stmt, anchors: tuple[str, ...]) -> bool:
    if isinstance(node, ast.ImportFrom):
        return not node.level and (node.module or "").partition(".")[0] in anchors
    if isinstance(node, ast.Import):
        return any(alias.name.partition(".")[0] in anchors for alias in node.names)
    return False


def _is_docstring(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def is_header(statement: ast.stmt) -> bool:
    """Whether a statement must remain first in its block: docstrings, ``__future__``."""
    is_future = isinstance(statement, ast.ImportFrom) and statement.module == "__future__"
    return is_future or _is_docstring(statement)


def _after_header(module: Module) -> int:
    """Offset of the line after docstring, shebang, encoding line and leading comments."""
    body = module.tree.body
    source = module.source
    if not body:
        return len(source.text)
    if _is_docstring(body[0]):
        line = body[0].end_lineno or 1
        return source.line_starts[line] if line < len(source.line_starts) else len(source.text)
    first = source.position(module.start(body[0]))[0]
    line = first
    while line > 1 and source.line(line - 1).startswith("#"):
        line -= 1
    # comments at the top of the file are its header; others belong to the statement below them
    is_top = not any(source.line(number).strip() for number in range(1, line))
    return source.line_starts[(first if is_top else line) - 1]
