"""What a definition of a file stands on: the statements that decide what a name of it means.

Whoever follows a name into another file sees the statements that bind it, and what names in these
statements mean in that file, and so on. All of that has one digest. An edit elsewhere in the file
leaves the digest as it is, and with it what was found out through the name.
"""

from __future__ import annotations

import ast
import hashlib
from bisect import bisect_right
from collections.abc import Iterable
from typing import Any, cast

from ascendify.source.inference.functions import CLASS_METHODS
from ascendify.source.scopes import Index, Scope, scope_of
from ascendify.source.text import SourceText


class Definitions:
    """The statements at the outermost level of a file, and which of them need which others.

    Too many statements may count as needed, as where a local variable has the name of a global one;
    never too few.
    """

    def __init__(self, source: SourceText, statements: list[ast.stmt], index: Index) -> None:
        self._source = source
        self._lines = [(_first_line(node), node.end_lineno or node.lineno) for node in statements]
        self._starts = [first for first, _ in self._lines]
        self._stars = repr(index.stars)
        self._binding = {
            name: {self._statement(item.node) for item in bindings}
            for name, bindings in index.module.bindings.items()
        }
        self._needed: list[set[int]] = [set() for _ in self._lines]
        """Statement -> those that bind a name it reads."""
        for name, reads in index.module.reads.items():
            binding = self._binding.get(name)
            if binding:
                for number in {self._statement(node) for node in reads}:
                    self._needed[number] |= binding
        self._digests: dict[frozenset[int], str] = {}

    def digest(self, name: str) -> str:
        """A digest of all that the value of a name depends on within the file."""
        return self._digest(frozenset(self._binding.get(name, ())))

    def digest_around(self, node: ast.AST) -> str:
        """A digest of the statement that a node stands in, and of all that depends on."""
        return self._digest(frozenset((self._statement(node),)))

    def digest_of_callees(self, calls: Iterable[ast.Call]) -> str:
        """A digest of all within the file that says what some calls call, not what they give."""
        statements: set[int] = set()
        words: list[str] = []
        for call in calls:
            callee = call.func
            words.append(ast.dump(callee))
            owner = _looked_up_in(callee)
            if owner is None:
                statements |= self._binding_of(_root(callee), call)
                continue
            words.extend(map(ast.dump, (*owner.bases, *owner.keywords)))
            for base in owner.bases:
                statements |= self._binding_of(_root(base), call)
        return _digest("\n".join((self._digest(frozenset(statements)), *words)))

    def _binding_of(self, name: ast.AST, call: ast.Call) -> set[int]:
        """The statements that bind a name of the file; for anything else, the one of the call."""
        if isinstance(name, ast.Name):
            scope = scope_of(name).find(name.id)
            if scope is None:
                return set()  # of Python itself, or of a star import
            if scope.kind == "module":
                return self._binding[name.id]
        return {self._statement(call)}

    def _digest(self, statements: frozenset[int]) -> str:
        known = self._digests.get(statements)
        if known is None:
            known = self._digests[statements] = self._made(statements)
        return known

    def _made(self, statements: frozenset[int]) -> str:
        seen = set(statements)
        pending = list(seen)
        while pending:
            new = self._needed[pending.pop()] - seen
            seen |= new
            pending.extend(new)
        # in the order of the file, which decides what an assignment replaces
        text = "\n".join((self._stars, *map(self._text, sorted(seen))))
        return _digest(text)

    def _text(self, statement: int) -> str:
        first, last = self._lines[statement]
        starts, text = self._source.line_starts, self._source.text
        return text[starts[first - 1] : starts[last] if last < len(starts) else len(text)]

    def _statement(self, node: Any) -> int:
        return max(0, bisect_right(self._starts, node.lineno) - 1)


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()


def _root(node: ast.AST) -> ast.AST:
    """``a`` of ``a.b.c``."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return node


def _looked_up_in(callee: ast.expr) -> ast.ClassDef | None:
    """The class whose bases, and nothing else of the file, say what is called.

    In ``super().f()``, and in ``self.f()`` where the class has no ``f`` or a plain method of it.
    """
    if not isinstance(callee, ast.Attribute):
        return None
    owner = callee.value
    if isinstance(owner, ast.Call):
        name = owner.func
        known = isinstance(name, ast.Name) and name.id == "super" and scope_of(name).find("super")
        return _class_around(owner) if known is None else None
    if not isinstance(owner, ast.Name):
        return None
    scope = scope_of(owner).find(owner.id)
    if scope is None or scope.kind != "function" or scope.parent is None:
        return None
    function, around = scope.node, scope.parent
    bindings = scope.bindings[owner.id]
    if (
        around.kind != "class"
        or not isinstance(function, ast.FunctionDef)
        or function.decorator_list
        or function.name in CLASS_METHODS
        or len(bindings) != 1
        or bindings[0].node not in (*function.args.posonlyargs, *function.args.args)[:1]
        or around.attributes.get(callee.attr)
    ):
        return None
    plain = all(
        item.kind == "def" and not getattr(item.node, "decorator_list", ())
        for item in around.bindings.get(callee.attr, ())
    )
    return cast(ast.ClassDef, around.node) if plain else None


def _class_around(node: ast.AST) -> ast.ClassDef | None:
    """The class whose bases ``super()`` means."""
    scope: Scope | None = scope_of(node)
    while scope is not None and scope.kind != "class":
        scope = scope.parent
    return None if scope is None else cast(ast.ClassDef, scope.node)


def _first_line(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(item.lineno for item in decorators)])
