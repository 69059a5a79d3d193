"""Lexical scopes: one walk of a tree records who binds which name, and what the rules look at.

The walk is the hot path of the whole tool (one visit a node, whatever the number of rules), so it
is written as plain loops. It leaves two marks on nodes: ``parent`` on every node and ``scope`` on
names, calls and statements that open a scope.
"""

from __future__ import annotations

import ast
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, TypeVar, Union, cast

_Node = TypeVar("_Node", bound=ast.AST)
FunctionNode = Union[ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda]
_CHAIN = (ast.Attribute, ast.Name)
"""Nodes of an attribute chain; any other start of a chain is visited on its own."""
_LEAVES = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)
"""Nodes that the parser reuses in several places, so that they have no parent."""
_CHILDLESS = frozenset({ast.Name, ast.Constant, ast.alias, ast.Pass, ast.Break, ast.Continue})
_KINDS = tuple(
    kind
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.AST) and not issubclass(kind, _LEAVES)
)

_MANY_BINDINGS = 200
_LAST_BINDINGS = 50
_DEEP = 300
"""From an expression that nests deeper, the way out leads over the nearest nodes only."""
_LONG_WAY = 16
"""Steps out of nested nodes after which the answer is kept."""


class Binding(NamedTuple):
    """One place where a name gets a value; a tuple, because it is made four times as fast."""

    kind: str
    """import, assign, iter, with, param, def, class, opaque."""
    node: ast.AST
    """The statement or expression that binds."""
    value: ast.expr | None = None
    """The expression the value comes from, where there is one."""
    path: tuple[int, ...] = ()
    """Indices into the value for tuple unpacking."""
    origin: str = ""
    """Dotted origin of an import, with leading dots when relative."""


@dataclass
class Scope:
    """A module, class, function, lambda or comprehension."""

    kind: str
    node: ast.AST
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    outer: dict[str, str] = field(default_factory=dict)
    """Names declared global or nonlocal."""
    attributes: dict[str, list[Binding]] = field(default_factory=dict)
    """For a class: the values that its methods assign to ``self.<name>``."""
    returns: list[ast.expr] = field(default_factory=list)
    """For a function: the expressions it returns."""
    generator: bool = False
    reads: dict[str, list[ast.Name]] = field(default_factory=dict)
    """For a module: every place that reads a name, in the order of the walk."""

    seen: dict[ast.AST, list[Binding]] = field(default_factory=dict)
    """For variables with several bindings: those that a use may see, where it was looked for.

    Expressions that lead back to each other are looked at thousands of times.
    """
    reached: dict[str, dict[ast.AST, list[ast.Name]]] = field(default_factory=dict)
    """For variables that were followed: the reads that each binding node may reach."""
    looked_at: Callable[[], None] | None = None
    """For a module: called when something asks for the uses of a variable in the whole file."""
    _uses: dict[str, dict[int, list[ast.Name]]] = field(default_factory=dict)
    """For a module: reads of a name by the identity of the scope that binds what they see."""

    def uses(self, name: str) -> list[ast.Name]:
        """Every place in the file that reads this scope's variable of that name."""
        module = self.module
        if module is self and self.looked_at is not None:
            self.looked_at()
        if name not in module._uses:
            found = module._uses[name] = {}
            for node in module.reads.get(name, ()):
                found.setdefault(id(scope_of(node).find(name)), []).append(node)
        return list(module._uses[name].get(id(self), ()))

    _bounded: dict[int, list[Binding]] = field(default_factory=dict)
    _places: dict[int, list[tuple[int, int]] | None] = field(default_factory=dict)

    def places(self, bindings: list[Binding]) -> list[tuple[int, int]] | None:
        """Lines and columns of all bindings of one of this scope's names.

        None where they are not in the order of the text, as with some names declared ``global``.
        """
        key = id(bindings)
        if key not in self._places:
            found = [
                (getattr(item.node, "lineno", 0), getattr(item.node, "col_offset", 0))
                for item in bindings
            ]
            in_order = all(first <= second for first, second in zip(found, found[1:]))
            self._places[key] = found if in_order else None
        return self._places[key]

    def bounded(self, bindings: list[Binding]) -> list[Binding]:
        """All bindings of one of this scope's names; of very many, the last ones and "anything".

        Generated code may bind one name thousands of times, and whoever reads it from elsewhere
        sees all of them. Imports of one thing count once.
        """
        if len(bindings) <= _MANY_BINDINGS:
            return bindings
        key = id(bindings)
        if key not in self._bounded:
            first = bindings[0]
            same = first.kind == "import" and all(item.origin == first.origin for item in bindings)
            last = bindings[-_LAST_BINDINGS:]
            self._bounded[key] = [first] if same else [Binding("opaque", first.node), *last]
        return self._bounded[key]

    def bind(self, name: str, binding: Binding) -> None:
        """Record a binding, in the scope a global or nonlocal statement names."""
        target = self
        where = self.outer.get(name)
        if where == "global":
            target = self.module
        elif where == "nonlocal" and self.parent is not None:
            target = self.parent.find(name) or self
        target.bindings.setdefault(name, []).append(binding)

    @property
    def module(self) -> Scope:
        """The outermost scope."""
        scope = self
        while scope.parent is not None:
            scope = scope.parent
        return scope

    def find(self, name: str) -> Scope | None:
        """The scope whose binding a use of ``name`` here sees; class bodies are skipped."""
        if self.outer and self.outer.get(name) == "global":
            module = self.module
            return module if name in module.bindings else None
        if name in self.bindings:
            return self
        scope = self.parent
        while scope is not None:
            if name in scope.bindings and scope.kind != "class":
                return scope
            scope = scope.parent
        return None


@dataclass
class Index:
    """What one walk over a file's tree found."""

    module: Scope
    calls: list[ast.Call] = field(default_factory=list)
    references: list[ast.expr] = field(default_factory=list)
    """Whole attribute chains and bare names that are read, in source order."""
    stores: list[ast.Attribute] = field(default_factory=list)
    """Attribute chains that are assigned to or deleted."""
    imports: list[Union[ast.Import, ast.ImportFrom]] = field(default_factory=list)
    functions: list[FunctionNode] = field(default_factory=list)
    classes: list[ast.ClassDef] = field(default_factory=list)
    stars: list[str] = field(default_factory=list)
    """Origins of star imports at module level."""
    calls_by_name: dict[str, list[ast.Call]] = field(default_factory=dict)
    """Calls by the last component of the called name."""
    renamed: dict[str, list[str]] = field(default_factory=dict)
    """Local names of things that are imported under another name."""
    scopes: list[Scope] = field(default_factory=list)
    """Every scope, the module first."""
    nodes: list[ast.AST] = field(default_factory=list)
    """Every node the walk marked."""

    @cached_property
    def bound_names(self) -> frozenset[str]:
        """Every name some scope of the file binds."""
        return frozenset(name for scope in self.scopes for name in scope.bindings)

    @cached_property
    def inner_names(self) -> frozenset[str]:
        """Every name that a function, class or comprehension of the file binds for itself."""
        return frozenset(name for scope in self.scopes[1:] for name in scope.bindings)

    @cached_property
    def imported(self) -> frozenset[str]:
        """Every name that some import of the file binds, in whatever scope.

        Of ten references nine start at another name, and need no search for what binds it.
        """
        return frozenset(
            alias.asname or alias.name.partition(".")[0]
            for node in self.imports
            for alias in node.names
        )

    @cached_property
    def import_roots(self) -> frozenset[str]:
        """First parts of the modules that the file imports, or imports from."""
        return frozenset(
            name.partition(".")[0]
            for node in self.imports
            for name in (
                (node.module or "",)
                if isinstance(node, ast.ImportFrom)
                else (alias.name for alias in node.names)
            )
        )

    def ending(self, words: frozenset[str]) -> list[ast.expr]:
        """The references whose last component is one of some words, in source order."""
        found = self._by_last.keys() & words
        if len(found) < 2:
            return [item for word in found for item in self._by_last[word]]
        return [item for item in self.references if _last(item) in found]

    @cached_property
    def _by_last(self) -> dict[str, list[ast.expr]]:
        found: dict[str, list[ast.expr]] = {}
        for item in self.references:
            last = item.attr if item.__class__ is ast.Attribute else item.id  # type: ignore[attr-defined]  # a chain or a name
            known = found.get(last)
            if known is None:
                found[last] = [item]
            else:
                known.append(item)
        return found

    @cached_property
    def heirs(self) -> dict[str, list[str]]:
        """Names of the file's classes by the last component of each of their bases."""
        found: dict[str, list[str]] = {}
        for item in self.classes:
            for base in {
                getattr(base, "id", "") or getattr(base, "attr", "") for base in item.bases
            }:
                found.setdefault(base, []).append(item.name)
        return found

    @cached_property
    def stored(self) -> dict[str, list[ast.expr]]:
        """Values by their keys in dictionaries: ``d["k"] = v``, ``{"k": v}``, ``dict(k=v)``."""
        found: dict[str, list[ast.expr]] = {}
        for key, value in self._entries():
            name = key.value if isinstance(key, ast.Constant) else key
            if isinstance(name, str):
                found.setdefault(name, []).append(value)
        return found

    def _entries(self) -> Iterator[tuple[ast.AST | str | None, ast.expr]]:
        for assigned in self.of(ast.Assign):
            for target in assigned.targets:
                if isinstance(target, ast.Subscript):
                    yield target.slice, assigned.value
        for literal in self.of(ast.Dict):
            yield from zip(literal.keys, literal.values)
        for call in self.calls_by_name.get("dict", ()):
            if isinstance(call.func, ast.Name):
                yield from ((keyword.arg, keyword.value) for keyword in call.keywords)

    @cached_property
    def _by_class(self) -> dict[type, list[ast.AST]]:
        found: dict[type, list[ast.AST]] = defaultdict(list)
        for node in self.nodes:
            found[node.__class__].append(node)
        return found

    def calls_within(self, node: ast.AST) -> list[ast.Call]:
        """The calls inside a node, itself and its decorators included, in source order."""
        if isinstance(node, ast.Module):
            return self._calls_in_order
        first: Any = (getattr(node, "decorator_list", None) or [node])[0]
        last: Any = node
        found = bisect_left(self._places_of_calls, (first.lineno, first.col_offset))
        end = bisect_left(self._places_of_calls, (last.end_lineno, last.end_col_offset))
        return self._calls_in_order[found:end]

    @cached_property
    def _calls_in_order(self) -> list[ast.Call]:
        return sorted(self.calls, key=lambda call: (call.lineno, call.col_offset))

    @cached_property
    def _places_of_calls(self) -> list[tuple[int, int]]:
        return [(call.lineno, call.col_offset) for call in self._calls_in_order]

    def of(self, *classes: type[_Node]) -> Iterator[_Node]:
        """Every node of exactly these classes, those of one class in the order of the walk."""
        for cls in classes:
            yield from cast("list[_Node]", self._by_class.get(cls, []))

    def calls_known_as(self, names: Sequence[str]) -> list[ast.Call]:
        """Calls of something that is known by these names, or as what it is imported as.

        A constructor, which has several names, is also called by those of the derived classes.
        """
        heirs = self.heirs.get(names[0], ()) if len(names) > 1 else ()
        wanted = [*names, *heirs]
        spelled = dict.fromkeys(wanted)
        for name in wanted:
            if name in self.renamed:
                spelled.update(dict.fromkeys(self.renamed[name]))
        calls = self.calls_by_name
        return [call for name in spelled if name in calls for call in calls[name]]

    def release(self) -> None:
        """Take the tree apart, so that reference counting frees it at once.

        Every node knows its parent, and finding such cycles is what the garbage collector would
        otherwise spend a tenth of a run on. A node without children is freed with the one that has
        it. The tree cannot be used afterwards.
        """
        for node in self.nodes:
            if node.__class__ not in _CHILDLESS:
                node.__dict__.clear()
        for scope in self.scopes:
            scope.__dict__.clear()


def _last(chain: Any) -> str:
    """The last component of an attribute chain or bare name."""
    last: str = chain.attr if chain.__class__ is ast.Attribute else chain.id
    return last


def parent(node: ast.AST) -> ast.AST:
    """The node's parent; that of the module is itself."""
    # no cast(): calling it takes half as long again
    above: ast.AST = getattr(node, "parent", node)
    return above


def scope_of(node: ast.AST) -> Scope:
    """The scope that a node belongs to."""
    current = node
    while True:
        found: Scope | None = getattr(current, "scope", None)
        if found is not None:
            return found
        if parent(current) is current:
            raise ValueError("the node's module has not been indexed")
        current = parent(current)


def statement(node: ast.AST) -> ast.stmt:
    """The statement a node belongs to, itself included."""
    if isinstance(node, ast.stmt):
        return node
    return cast(ast.stmt, nearest(node, (ast.stmt,), "statement_around"))


def nearest(
    node: ast.AST, kinds: tuple[type, ...], mark: str, below: bool = False
) -> ast.AST | None:
    """The innermost node of some kinds that a node stands in, None where there is none.

    ``below``: the last node on the way to it instead.

    On a long way the answer is left as a mark on all nodes passed: in an expression that nests
    thousands deep, what stands next to each other is not climbed out of again and again.
    """
    passed: list[ast.AST] = []
    found: ast.AST | None = node
    while True:
        passed.append(cast(ast.AST, found))
        above = parent(cast(ast.AST, found))
        if above is found:
            found = None
            break
        if isinstance(above, kinds):
            found = found if below else above
            break
        found = above
        if mark in found.__dict__:
            found = found.__dict__[mark]
            break
    if len(passed) > _LONG_WAY:
        for item in passed:
            item.__dict__[mark] = found
    return found


def ancestors(node: ast.AST) -> Iterator[ast.AST]:
    """Parents from the nearest outwards, the module last.

    Out of an expression that nests thousands deep, such as a generated chain of calls, the way goes
    over the nearest nodes and then the outermost one: each of its parts may need it.
    """
    steps = 0
    while not isinstance(node, ast.Module):
        node = parent(node)
        yield node
        steps += 1
        if steps == _DEEP:
            outermost = nearest(node, (ast.stmt,), "outermost", below=True)
            if outermost is not None and outermost is not node:
                node = outermost
                yield node


def build(tree: ast.Module) -> Index:
    """Walk the tree once."""
    return _Walker(tree).index


def _childless(walker: _Walker, node: ast.AST, scope: Scope) -> None:
    """Leave a node without children as it is; a third of a tree are such nodes."""


class _Walker:
    def __init__(self, tree: ast.Module) -> None:
        scope = Scope("module", tree, None)
        self.index = index = Index(scope, scopes=[scope])
        self._mark = index.nodes.append
        self._refer = index.references.append
        self._call_found = index.calls.append
        self._calls_by_name = index.calls_by_name
        self._reads = scope.reads
        cast(Any, tree).scope = scope
        self._children(tree, scope)

    def _children(self, node: ast.AST, scope: Scope) -> None:
        handler_of = _HANDLERS.get
        for name in node._fields:
            child: Any = getattr(node, name, None)
            if child.__class__ is list:
                self._visit_all(child, node, scope)
                continue
            handler = handler_of(child.__class__)
            if handler is not None:
                child.parent = node
                self._mark(child)
                if handler is not _childless:
                    handler(self, child, scope)

    def _visit(self, node: Any, owner: ast.AST, scope: Scope) -> None:
        node.parent = owner
        self._mark(node)
        handler = _HANDLERS[node.__class__]
        if handler is not _childless:
            handler(self, node, scope)

    def _visit_all(self, nodes: list[Any], owner: ast.AST, scope: Scope) -> None:
        """Visit the nodes among the items of a field; a missing default is None."""
        handler_of, mark = _HANDLERS.get, self._mark
        for node in nodes:
            handler = handler_of(node.__class__)
            if handler is not None:
                node.parent = owner
                mark(node)
                if handler is not _childless:
                    handler(self, node, scope)

    def _open(self, kind: str, node: ast.AST, scope: Scope) -> Scope:
        inner = Scope(kind, node, scope)
        self.index.scopes.append(inner)
        return inner

    # the most frequent kinds, spared the generic loop over fields

    def _value(self, node: Any, scope: Scope) -> None:
        self._visit(node.value, node, scope)

    def _binary(self, node: ast.BinOp, scope: Scope) -> None:
        # a sum of thousands of terms nests to the left: down in a loop, then up again
        sums = [node]
        left: Any = node.left
        while left.__class__ is ast.BinOp:
            left.parent = sums[-1]  # type: ignore[attr-defined]  # our mark on the tree
            self._mark(left)
            sums.append(left)
            left = left.left
        self._visit(left, sums[-1], scope)
        for item in reversed(sums):
            self._visit(item.right, item, scope)

    def _subscript(self, node: ast.Subscript, scope: Scope) -> None:
        self._visit(node.value, node, scope)
        self._visit(node.slice, node, scope)

    # expressions

    def _name(self, node: ast.Name, scope: Scope) -> None:
        node.scope = scope  # type: ignore[attr-defined]  # our mark on the tree
        if node.ctx.__class__ is ast.Load:
            self._refer(node)
            reads = self._reads.get(node.id)
            if reads is None:
                self._reads[node.id] = [node]
            else:
                reads.append(node)
        elif node.id not in scope.bindings and node.ctx.__class__ is ast.Del:
            scope.bind(node.id, Binding("opaque", node))

    def _attribute(self, node: ast.Attribute, scope: Scope) -> None:
        if node.ctx.__class__ is ast.Load:
            self._refer(node)
        else:
            self.index.stores.append(node)
        base: Any = node
        while base.__class__ is ast.Attribute:
            base.value.parent = base  # type: ignore[attr-defined]  # our mark on the tree
            base = base.value
            if base.__class__ in _CHAIN:
                self._mark(base)
        if base.__class__ is ast.Name:
            base.scope = scope  # type: ignore[attr-defined]  # our mark on the tree
            self._reads.setdefault(base.id, []).append(base)
        else:
            self._visit(base, base.parent, scope)

    def _call(self, node: ast.Call, scope: Scope) -> None:
        # a chain of thousands of calls nests in what is called: down in a loop, then up again
        calls: list[ast.Call] = []
        current: Any = node
        while current.__class__ is ast.Call:
            calls.append(current)
            current = self._callee(current, scope)
        for item in reversed(calls):
            if item.args:
                self._visit_all(item.args, item, scope)
            if item.keywords:
                self._visit_all(item.keywords, item, scope)

    def _callee(self, node: Any, scope: Scope) -> ast.Call | None:
        """Visit the called expression; return the call that its chain starts with, only marked."""
        node.scope = scope
        self._call_found(node)
        func = node.func
        func.parent = node
        self._mark(func)
        kind = func.__class__
        if kind is ast.Attribute:
            self._calls_by_name.setdefault(func.attr, []).append(node)
            self._refer(func)
            base: Any = func.value
            base.parent = func
            while base.__class__ is ast.Attribute:
                self._mark(base)
                base.value.parent = base  # type: ignore[attr-defined]  # our mark on the tree
                base = base.value
            self._mark(base)
            if base.__class__ is ast.Name:
                base.scope = scope  # type: ignore[attr-defined]  # our mark on the tree
                self._reads.setdefault(base.id, []).append(base)
            elif base.__class__ is ast.Call:
                return base
            else:
                _HANDLERS[base.__class__](self, base, scope)
        elif kind is ast.Name:
            self._calls_by_name.setdefault(func.id, []).append(node)
            self._name(func, scope)
        elif kind is ast.Call:
            return cast(ast.Call, func)
        else:
            _HANDLERS[kind](self, func, scope)
        return None

    def _lambda(self, node: ast.Lambda, scope: Scope) -> None:
        inner = self._enter_function(node, scope)
        inner.returns.append(node.body)
        self._visit(node.body, node, inner)

    def _walrus(self, node: ast.NamedExpr, scope: Scope) -> None:
        target = scope
        while target.kind == "comprehension" and target.parent is not None:
            target = target.parent
        target.bind(node.target.id, Binding("assign", node, node.value))
        self._children(node, scope)

    def _comprehension(self, node: Any, scope: Scope) -> None:
        inner = self._open("comprehension", node, scope)
        node.scope = scope
        for number, generator in enumerate(node.generators):
            generator.parent = node
            self._mark(generator)
            self._visit(generator.iter, generator, scope if number == 0 else inner)
            self._targets(generator.target, generator, generator.iter, inner, "iter")
            self._visit(generator.target, generator, inner)
            self._visit_all(generator.ifs, generator, inner)
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
        self._visit_all(parts, node, inner)

    def _yield(self, node: ast.AST, scope: Scope) -> None:
        scope.generator = True
        self._children(node, scope)

    # statements

    def _enter_function(self, node: FunctionNode, scope: Scope) -> Scope:
        inner = self._open("function", node, scope)
        node.scope = inner  # type: ignore[union-attr]  # our mark on the tree
        self.index.functions.append(node)
        arguments = node.args
        arguments.parent = node  # type: ignore[attr-defined]  # our mark on the tree
        self._mark(arguments)
        for argument in (
            *arguments.posonlyargs,
            *arguments.args,
            *([arguments.vararg] if arguments.vararg else []),
            *arguments.kwonlyargs,
            *([arguments.kwarg] if arguments.kwarg else []),
        ):
            argument.parent = arguments  # type: ignore[attr-defined]  # our mark on the tree
            self._mark(argument)
            inner.bindings[argument.arg] = [Binding("param", argument)]
            if argument.annotation is not None:
                self._visit(argument.annotation, argument, scope)
        self._visit_all(arguments.defaults, arguments, scope)
        self._visit_all(arguments.kw_defaults, arguments, scope)
        return inner

    def _function(self, node: Any, scope: Scope) -> None:
        scope.bind(node.name, Binding("def", node))
        self._visit_all(node.decorator_list, node, scope)
        inner = self._enter_function(node, scope)
        if node.returns is not None:
            self._visit(node.returns, node, scope)
        self._visit_all(node.body, node, inner)

    def _class(self, node: ast.ClassDef, scope: Scope) -> None:
        scope.bind(node.name, Binding("class", node))
        self.index.classes.append(node)
        self._visit_all(node.decorator_list, node, scope)
        self._visit_all(node.bases, node, scope)
        self._visit_all(node.keywords, node, scope)
        inner = self._open("class", node, scope)
        node.scope = inner  # type: ignore[attr-defined]  # our mark on the tree
        self._visit_all(node.body, node, inner)

    def _assign(self, node: ast.Assign, scope: Scope) -> None:
        self._visit(node.value, node, scope)
        for target in node.targets:
            self._targets(target, node, node.value, scope)
            self._visit(target, node, scope)

    def _annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        if node.value is not None:
            self._targets(node.target, node, node.value, scope)
        self._children(node, scope)

    def _augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        target = node.target
        if isinstance(target, ast.Name):
            scope.bind(target.id, Binding("opaque", node, node.value))
        elif isinstance(target, ast.Attribute):
            self._targets(target, node, node.value, scope, "opaque")
        self._children(node, scope)

    def _for(self, node: Any, scope: Scope) -> None:
        self._targets(node.target, node, node.iter, scope, "iter")
        self._children(node, scope)

    def _with(self, node: Any, scope: Scope) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self._targets(item.optional_vars, node, item.context_expr, scope, "with")
        self._children(node, scope)

    def _targets(
        self,
        target: ast.expr,
        node: ast.AST,
        value: ast.expr,
        scope: Scope,
        kind: str = "assign",
        path: tuple[int, ...] = (),
    ) -> None:
        if isinstance(target, ast.Name):
            scope.bind(target.id, Binding(kind, node, value, path))
        elif isinstance(target, ast.Attribute):
            owner = _owner_class(target, scope)
            if owner is not None:
                binding = Binding(kind, node, value, path)
                owner.attributes.setdefault(target.attr, []).append(binding)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for number, item in enumerate(target.elts):
                self._targets(item, node, value, scope, kind, (*path, number))
                if isinstance(item, ast.Starred):
                    # a starred target takes an unknown number of items, so later targets are
                    # unknown too
                    kind = "opaque"
        elif isinstance(target, ast.Starred):
            self._targets(target.value, node, value, scope, "opaque")

    def _import(self, node: ast.Import, scope: Scope) -> None:
        self.index.imports.append(node)
        self._visit_all(node.names, node, scope)
        for alias in node.names:
            if alias.asname:
                scope.bind(alias.asname, Binding("import", node, origin=alias.name))
            else:
                top = alias.name.partition(".")[0]
                scope.bind(top, Binding("import", node, origin=top))

    def _import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        self.index.imports.append(node)
        self._visit_all(node.names, node, scope)
        base = "." * node.level + (node.module or "")
        joint = "" if base.endswith(".") else "."
        for alias in node.names:
            if alias.name == "*":
                self.index.stars.append(base)
            else:
                if alias.asname and alias.asname != alias.name:
                    self.index.renamed.setdefault(alias.name, []).append(alias.asname)
                origin = f"{base}{joint}{alias.name}"
                scope.bind(alias.asname or alias.name, Binding("import", node, origin=origin))

    def _except(self, node: ast.ExceptHandler, scope: Scope) -> None:
        if node.name:
            scope.bind(node.name, Binding("opaque", node))
        self._children(node, scope)

    def _pattern(self, node: Any, scope: Scope) -> None:
        name = getattr(node, "name", None) or getattr(node, "rest", None)
        if name:
            scope.bind(name, Binding("opaque", node))
        self._children(node, scope)

    def _global(self, node: ast.Global, scope: Scope) -> None:
        scope.outer.update(dict.fromkeys(node.names, "global"))

    def _nonlocal(self, node: ast.Nonlocal, scope: Scope) -> None:
        scope.outer.update(dict.fromkeys(node.names, "nonlocal"))

    def _return(self, node: ast.Return, scope: Scope) -> None:
        if node.value is not None:
            scope.returns.append(node.value)
            self._visit(node.value, node, scope)


_HANDLERS: dict[type, Callable[[_Walker, Any, Scope], None]] = {
    **dict.fromkeys(_KINDS, _Walker._children),
    ast.Name: _Walker._name,
    ast.Attribute: _Walker._attribute,
    ast.Call: _Walker._call,
    ast.FunctionDef: _Walker._function,
    ast.AsyncFunctionDef: _Walker._function,
    ast.Lambda: _Walker._lambda,
    ast.ClassDef: _Walker._class,
    ast.Assign: _Walker._assign,
    ast.AnnAssign: _Walker._annotated,
    ast.AugAssign: _Walker._augmented,
    ast.NamedExpr: _Walker._walrus,
    ast.For: _Walker._for,
    ast.AsyncFor: _Walker._for,
    ast.With: _Walker._with,
    ast.AsyncWith: _Walker._with,
    ast.Import: _Walker._import,
    ast.ImportFrom: _Walker._import_from,
    ast.ExceptHandler: _Walker._except,
    ast.Global: _Walker._global,
    ast.Nonlocal: _Walker._nonlocal,
    ast.Return: _Walker._return,
    ast.Yield: _Walker._yield,
    ast.YieldFrom: _Walker._yield,
    ast.ListComp: _Walker._comprehension,
    ast.SetComp: _Walker._comprehension,
    ast.DictComp: _Walker._comprehension,
    ast.GeneratorExp: _Walker._comprehension,
    ast.keyword: _Walker._value,
    ast.Expr: _Walker._value,
    ast.Starred: _Walker._value,
    ast.BinOp: _Walker._binary,
    ast.Subscript: _Walker._subscript,
    **dict.fromkeys(_CHILDLESS - {ast.Name}, _childless),
}
"""Functions, not bound methods: a walker that held itself would keep every node of its file until
the garbage collector comes."""
for _name in ("MatchAs", "MatchStar", "MatchMapping"):
    if hasattr(ast, _name):
        _HANDLERS[getattr(ast, _name)] = _Walker._pattern


def _owner_class(target: ast.Attribute, scope: Scope) -> Scope | None:
    """The class whose instance ``self.<name> = ...`` inside a method assigns to."""
    if not isinstance(target.value, ast.Name):
        return None
    function: Scope | None = scope
    while function is not None:
        owner = function.parent
        if function.kind == "function" and owner is not None and owner.kind == "class":
            arguments = cast(ast.FunctionDef, function.node).args
            first = (*arguments.posonlyargs, *arguments.args)[:1]
            if first and first[0].arg == target.value.id:
                return owner
        function = function.parent
    return None
