"""Imports a fix needs: reuse what the file has, choose free names, place new lines well."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass

from ascendify.source.edits import Edit
from ascendify.source.module import Module
from ascendify.source.scopes import Binding


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
        """The import as a statement on its own line."""
        plain = self.name or self.module
        alias = f" as {self.local}" if self.local and self.local != plain else ""
        line = f"from {self.module} import {self.name}" if self.name else f"import {self.module}"
        return line + alias + (f"  # {self.comment}" if self.comment else "")


def existing(module: Module, wanted: Import) -> str | None:
    """The spelling under which the module already has it at top level, if it does."""
    origin = f"{wanted.module}.{wanted.name}" if wanted.name else wanted.module
    scope = module.index.module
    for name, bindings in scope.bindings.items():
        if len(bindings) == 1 and _imports(bindings[0], origin, module):
            if not wanted.name and "." in wanted.module and name == wanted.module.partition(".")[0]:
                continue
            return name
    if wanted.name and wanted.module in module.index.stars and wanted.name not in scope.bindings:
        return wanted.name
    return None


def _imports(binding: Binding, origin: str, module: Module) -> bool:
    return (
        binding.kind == "import"
        and binding.origin == origin
        and getattr(binding.node, "parent", None) is module.tree
    )


def free_name(module: Module, name: str, taken: Iterable[str] = ()) -> str:
    """``name``, or ``name_2``, ``name_3`` ... when the file already uses it for something else."""
    used = module.all_names.union(taken)
    candidate, number = name, 2
    while candidate in used:
        candidate, number = f"{name}_{number}", number + 1
    return candidate


def insertion(module: Module, wanted: Iterable[Import], anchors: tuple[str, ...]) -> Edit | None:
    """One edit that adds the imports after the block of imports that brings in an anchor.

    Lines go after the framework's own import because scripts set environment variables before it;
    without one they go after the leading imports, else after docstring and ``__future__`` lines.
    """
    lines = _statements(wanted)
    if not lines:
        return None
    newline = module.source.newline
    place = _place(module, anchors)
    text = module.source.text
    if place is None:
        offset = _after_header(module)
        return Edit(offset, offset, "".join(line + newline for line in lines))
    indent = module.indent(place)
    end = module.end(place)
    rest = text[end:].split("\n", 1)[0].split("\r", 1)[0]
    if rest.strip() and not rest.lstrip().startswith("#"):
        # something follows on the same line (``import a; b = 1``): go before the statement
        start = module.start(place)
        line_start = module.source.line_starts[module.source.position(start)[0] - 1]
        return Edit(line_start, line_start, "".join(indent + line + newline for line in lines))
    end += len(rest)
    return Edit(end, end, "".join(newline + indent + line for line in lines))


def _statements(wanted: Iterable[Import]) -> list[str]:
    """One line an import, names of one module merged, sorted."""
    plain: dict[str, list[str]] = {}
    lines: set[str] = set()
    for item in set(wanted):
        if item.name not in ("", "*") and not item.comment:
            alias = f" as {item.local}" if item.local and item.local != item.name else ""
            plain.setdefault(item.module, []).append(item.name + alias)
        else:
            lines.add(item.statement)
    lines.update(f"from {name} import {', '.join(sorted(set(n)))}" for name, n in plain.items())
    return sorted(lines, key=lambda line: (line.split()[1], line))


def _place(module: Module, anchors: tuple[str, ...]) -> ast.stmt | None:
    """The top-level statement after which new imports go."""
    body = module.tree.body
    leading = _leading_imports(body)
    for number, statement in enumerate(body):
        if any(_mentions(node, anchors) for node in _imports_in(statement)):
            last = number
            while last + 1 < len(body) and isinstance(body[last + 1], (ast.Import, ast.ImportFrom)):
                last += 1
            return body[last]
    return leading


def _leading_imports(body: list[ast.stmt]) -> ast.stmt | None:
    last: ast.stmt | None = None
    for number, statement in enumerate(body):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            last = statement
        elif not (number == 0 and _is_docstring(statement)):
            break
    return last


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


def _after_header(module: Module) -> int:
    """Offset of the line after docstring, shebang, encoding line and leading comments."""
    body = module.tree.body
    if body and _is_docstring(body[0]):
        line = body[0].end_lineno or 1
        starts = module.source.line_starts
        return starts[line] if line < len(starts) else len(module.source.text)
    for number in range(1, len(module.source.line_starts) + 1):
        line_text = module.source.line(number)
        if not line_text.startswith("#"):
            return module.source.line_starts[number - 1]
    return len(module.source.text)
