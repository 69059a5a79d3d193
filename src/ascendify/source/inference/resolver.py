"""Questions about the names and expressions of a project, and how an answer is found once.

Inference is on demand and memoised: nothing is computed for expressions that no rule needs. An
answer is a tuple of possible values; :data:`UNKNOWN` among them means "or something else".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from ascendify.source.inference import callers, names, parameters
from ascendify.source.inference.expressions import HANDLERS
from ascendify.source.inference.names import BUILTINS
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.reads import Reads
from ascendify.source.scopes import scope_of
from ascendify.source.values import (
    ANYTHING,
    NOTHING,
    Class,
    Const,
    Function,
    Instance,
    Knowledge,
    Member,
    Object,
    Partial,
    Ref,
    Values,
    is_none,
)

_Answer = TypeVar("_Answer")
_MAX_DEPTH = 100
_MAX_STEPS = 2000
_MANY_STEPS = 1000
"""A question that takes so many on its own, and then runs out of them, would do so again."""
_LONG_CHAIN = 40
"""Longer chains of calls and attributes, and longer sums, are answered from inside."""
_NEVER = 1 << 30
"""Deeper than anything."""


class Resolver:
    """Infers the values of names and expressions of a project."""

    def __init__(self, project: Project, knowledge: Knowledge) -> None:
        self.project = project
        self.knowledge = knowledge
        self._reading = project.reading
        self._memo: dict[Hashable, tuple[Any, Reads]] = {}
        """Answers and what each was read from; those of :meth:`infer` by their node."""
        self._read_for: dict[Reads, list[Hashable]] = {}
        """Keys of the memo, by what their answers were read from."""
        self.calling = callers.Calling()
        """The modules in which calls were looked for, by names of what they call."""
        self.gifts: dict[
            ast.arg, tuple[list[tuple[Module, ast.Call, int]], list[parameters.Gift]]
        ] = {}
        """What callers give for parameters, with the callers that were looked at."""
        self._spelled: dict[ast.AST, str | None] = {}
        self._active: dict[ast.AST, int] = {}
        """Expressions being looked at, with the depth each stands at."""
        self._wanted: dict[tuple[str, str], int] = {}
        """The same for names of modules."""
        self._answered: dict[tuple[str, str], tuple[Values, Reads]] = {}
        self._cut = _NEVER
        """The depth of the outermost expression that something leads back to.

        What lies deeper than that is half an answer; from that depth outwards it is a whole one.
        """
        self._depth = 0
        self._steps = 0
        self._overlaid: str | None = None
        """A file with another text, until somebody asks: then answers are set aside."""
        self._aside: list[tuple[Hashable, tuple[Any, Reads]]] = []

    # for rules

    def infer(self, module: Module, node: ast.expr) -> Values:
        """The values an expression may have."""
        if self._overlaid is not None:
            self._set_aside()
        memo = self._memo.get(node)
        if memo is not None:
            values: Values
            values, reads = memo
            if reads:
                self._reading.current.add(reads)
            return values
        if node in self._active:
            self._cut = min(self._cut, self._active[node])
            return NOTHING
        self._steps = self._steps + 1 if self._depth else 1
        if self._steps > _MAX_STEPS:
            return ANYTHING
        if self._depth > _MAX_DEPTH:
            self._cut = 0
            return ANYTHING
        handler = HANDLERS.get(node.__class__)
        if handler is None:
            return ANYTHING
        if not self._depth:
            self._infer_inner(module, node)
        outer_cut, self._cut = self._cut, _NEVER
        self._depth += 1
        depth = self._active[node] = self._depth
        first_step = self._steps
        outer, self._reading.current = self._reading.current, set()
        try:
            values = _unique(handler(self, module, node))
        finally:
            self._depth -= 1
            del self._active[node]
            reads = self._reading.leave(outer)
        # A result computed while a cycle was cut is right only from where the cycle begins.
        if self._cut >= depth or self._depth == 0:
            self._cut = _NEVER
            endless = self._steps - first_step >= _MANY_STEPS
            if not self._is_exhausted or endless or self._depth == 0:
                self._remember(node, values, reads)
        self._cut = min(self._cut, outer_cut)
        return values

    @property
    def _is_exhausted(self) -> bool:
        """Whether the outermost question has taken all the steps it may."""
        return self._steps > _MAX_STEPS

    def _infer_inner(self, module: Module, node: ast.expr) -> None:
        """Answer the innermost parts of a long chain of calls or a long sum first.

        Each part needs the one inside it: from outside, calls would nest as deep as the chain
        is long, be cut off at some depth, and be looked at again for the next part.
        """
        parts: list[ast.expr] = []
        part: ast.expr | None = node
        while part is not None and part not in self._memo:
            parts.append(part)
            part = _inner(part)
        for item in reversed(parts[_LONG_CHAIN:]):
            self._steps = 0
            self.infer(module, item)

    def names(self, module: Module, node: ast.expr) -> tuple[tuple[str, ...], bool]:
        """Dotted names the expression may refer to, and whether that is all it may be."""
        spelled = self.spelled(module, node)
        if spelled is not None:
            return (spelled,), True
        values = self.infer(module, node)
        found: list[str] = []
        certain = True
        for item in values:
            value = item
            if isinstance(item, Partial):
                value, certain = item.target, False
            if isinstance(value, (Ref, Member)):
                if value.name not in found:
                    found.append(value.name)
            elif not is_none(value):
                certain = False
        return tuple(found), certain

    def once(self, compute: Callable[[Resolver, Module], _Answer], module: Module) -> _Answer:
        """The result of a function for a module, computed once."""
        return self.remembered((compute, module), lambda: compute(self, module))

    def remembered(self, key: Hashable, compute: Callable[[], _Answer]) -> _Answer:
        """The answer to a question, computed once."""
        if self._overlaid is not None:
            self._set_aside()
        memo = self._memo.get(key)
        if memo is None:
            answer, reads = self._reading.of(compute)
            self._remember(key, answer, reads)
            return answer
        self._reading.current.add(memo[1])
        return cast("_Answer", memo[0])

    def _remember(self, key: Hashable, answer: object, reads: Reads) -> None:
        self._memo[key] = (answer, reads)
        if reads:
            self._read_for.setdefault(reads, []).append(key)

    def spelled(self, module: Module, node: ast.expr) -> str | None:
        """The name of a chain that starts at an import from outside the project.

        Most names are such chains, and reading one off is many times faster than inference.
        """
        known = self._spelled.get(node, "")
        if known == "":
            known = self._spelled[node] = self._read_off(module, node)
        return known

    def _read_off(self, module: Module, node: ast.expr) -> str | None:
        root: Any = node
        while root.__class__ is ast.Attribute:
            root = root.value
        if root.__class__ is not ast.Name:
            return None
        index = module.quiet_index
        if root.id not in index.imported and (root is not node or root.id not in BUILTINS):
            return None
        root, attributes = _chain(node)
        scope = scope_of(root).find(root.id)
        if scope is None:
            known = not attributes and root.id in BUILTINS and not index.stars
            return f"builtins.{root.id}" if known else None
        bindings = scope.bindings[root.id]
        if len(bindings) != 1 or bindings[0].kind != "import":
            return None
        origin = bindings[0].origin
        if len(attributes) > _LONG_CHAIN or origin.startswith("."):
            return None
        if self.project.locate(module.path, origin) is not None:
            return None
        return self.knowledge.canonical(".".join([origin, *attributes]), module.path)

    def leads_outside(self, module: Module, node: ast.expr) -> bool:
        """Whether a chain that starts at an import may name something outside the project.

        What a file of the project defines itself cannot; only what it imports or gives another
        name is worth following. A cheap question that spares most inference.
        """
        root, attributes = _chain(node)
        if root.__class__ is not ast.Name:
            return True
        scope = scope_of(root).find(root.id)
        bindings = [] if scope is None else scope.bindings[root.id]
        if len(bindings) != 1 or bindings[0].kind != "import":
            return True
        located = self.project.locate(module.path, bindings[0].origin)
        if located is None:
            return True
        path, folder, rest = located
        return self._passes_on(path, folder, [*rest, *attributes])

    def _passes_on(self, path: str | None, folder: str, chain: list[str]) -> bool:
        """Whether a module of the project has the first of the names from somewhere else."""
        if not chain or (path is not None and not self.project.is_relevant(path)):
            return False

        def passes_on() -> tuple[str | None, str] | bool:
            module = None if path is None else self.project.defining(path, chain[0])
            index = None if module is None else module.quiet_index
            bindings = [] if index is None else index.module.bindings.get(chain[0], [])
            inner = None if bindings else self.project.inside(folder, chain[0])
            if inner is not None:
                return inner
            if bindings:
                return any(item.kind == "import" or _is_alias(item.value) for item in bindings)
            return index is None or bool(index.stars)

        found = self.remembered(("passes on", path or folder, chain[0]), passes_on)
        return found if isinstance(found, bool) else self._passes_on(*found, chain[1:])

    def kinds(self, module: Module, node: ast.expr) -> tuple[tuple[str, ...], bool]:
        """Classes the expression may be an instance of, and whether that is all it may be."""
        kinds: list[str] = []
        certain = True
        for value in self.infer(module, node):
            found: tuple[str, ...] = (value.kind,) if isinstance(value, Instance) else ()
            if isinstance(value, Object):
                found = self.external_bases(value.cls)[:1]
            if found:
                kinds.extend(kind for kind in found if kind not in kinds)
            elif not is_none(value):
                certain = False
        return tuple(kinds), certain and bool(kinds)

    def literal(self, module: Module, node: ast.expr) -> tuple[object, ...] | None:
        """The literal values the expression may have, None when it may be something else."""
        values = self.infer(module, node)
        if not values or not all(isinstance(value, Const) for value in values):
            return None
        return tuple(cast(Const, value).value for value in values)

    def imported(self, module: Module, origin: str) -> Values:
        """The value of an import of a dotted origin (leading dots when relative) in a file."""
        return names.imported(self, module, origin)

    def defines(self, cls: Class, attr: str) -> bool:
        """Whether a class, or one of its base classes in the project, has such an attribute."""
        return bool(names.class_attribute(self, cls, attr)) or any(
            attr in scope_of(ancestor.node).attributes for ancestor in names.lineage(self, cls)
        )

    def external_bases(self, cls: Class) -> tuple[str, ...]:
        """Classes outside the project a class derives from, nearest first."""
        found: list[str] = []
        for ancestor in names.lineage(self, cls):
            for base in ancestor.node.bases:
                for value in self.infer(ancestor.module, base):
                    if isinstance(value, Ref) and value.name not in found:
                        found.append(value.name)
        return tuple(found)

    def callers(self, function: Function) -> list[tuple[Module, ast.Call, int]]:
        """Calls of a project function: module, call, and how many leading parameters are bound."""
        if self._overlaid is not None:
            self._set_aside()
        key = ("callers", function.node)
        memo = self._memo.get(key)
        if memo is not None:
            self._reading.current.add(memo[1])
            return cast("list[tuple[Module, ast.Call, int]]", memo[0])
        outer_cut, self._cut = self._cut, _NEVER
        found, reads = self._reading.of(lambda: callers.find(self, function))
        if self._cut > self._depth or self._depth == 0:
            self._cut = _NEVER
            if not self._is_exhausted or self._depth == 0:
                self._remember(key, found, reads)
        self._cut = min(self._cut, outer_cut)
        return found

    def of_module(
        self, find: Callable[[Resolver, Module, str], Values], module: Module, name: str
    ) -> Values:
        """The value of a module's name, remembered until the outermost question is answered.

        Packages that star-import each other would otherwise be walked along every path.
        """
        wanted = (module.path, name)
        if wanted in self._wanted:
            # modules that import a name from each other, or from themselves
            self._cut = min(self._cut, self._wanted[wanted])
            return ANYTHING
        if len(self._wanted) > _MAX_DEPTH:
            # files that pass a name on to each other, like rungs of a ladder
            self._cut = 0
            return ANYTHING
        known = self._answered.get(wanted)
        if known is not None:
            self._reading.current.add(known[1])
            return known[0]
        self._wanted[wanted] = self._depth
        try:
            self._answered[wanted] = self._reading.of(lambda: find(self, module, name))
            return self._answered[wanted][0]
        finally:
            del self._wanted[wanted]
            if not self._wanted:
                self._answered.clear()

    @contextmanager
    def overlay(self, module: Module) -> Iterator[None]:
        """Answer for a while as if the project had another text of one file.

        Answers that were read from the file are set aside, and those that were read from its other
        text are forgotten. With the text that the project has anyway, all answers stay; so they do
        while nobody asks for one, as with most rules that look at a finished file.
        """
        if self.project.holds(module):
            yield
            return
        self._overlaid = module.path
        with self.project.overlay(module):
            try:
                yield
            finally:
                self._put_back(module.path)

    def _set_aside(self) -> None:
        """Set aside the answers that were read from the file that has another text now."""
        path, self._overlaid = self._overlaid, None
        if path is not None:
            self._aside = self.forget(path)

    def _put_back(self, path: str) -> None:
        """Forget the answers that were read from a file's other text, and restore the others."""
        if self._overlaid is None:
            self.forget(path)
            for key, memo in self._aside:
                self._remember(key, *memo)
            self._aside.clear()
        self._overlaid = None

    def forget(self, path: str) -> list[tuple[Hashable, tuple[Any, Reads]]]:
        """Remove and return every answer that was read from a file."""
        return [
            (key, self._memo.pop(key))
            for reads in self._reading.from_file(path)
            for key in self._read_for.pop(reads, ())
        ]


def _inner(node: ast.expr) -> ast.expr | None:
    """The expression inside: the object of an attribute, the callee, a sum's left operand."""
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return node.value
    if isinstance(node, ast.Call):
        return node.func
    return node.left if isinstance(node, ast.BinOp) else None


def _chain(node: ast.expr) -> tuple[Any, list[str]]:
    """``a``, ``[b, c]`` of ``a.b.c``."""
    attributes: list[str] = []
    root: Any = node
    while root.__class__ is ast.Attribute:
        attributes.append(root.attr)
        root = root.value
    attributes.reverse()
    return root, attributes


def _unique(values: Values) -> Values:
    return values if len(values) < 2 else tuple(dict.fromkeys(values))


def _is_alias(value: ast.expr | None) -> bool:
    """Whether the value that is assigned makes the variable another name for something."""
    return isinstance(value, (ast.Attribute, ast.Name, ast.IfExp))
