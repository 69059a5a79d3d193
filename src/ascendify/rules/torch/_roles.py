"""What a text is for: follow a value through a project to the places that take it.

The text itself says nothing: ``'cuda'`` may be a device, a folder, a word of the user's own. Its
value is followed through conditions, variables, attributes, containers, options, parameters and
results until it arrives somewhere that decides.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from ascendify.rules.kit import File
from ascendify.rules.torch import _slots
from ascendify.rules.torch._flow import ITEM, Flow, Path
from ascendify.rules.torch._trace_calls import CallTrace
from ascendify.rules.torch._trace_storage import key_of
from ascendify.source.module import Module
from ascendify.source.nodes import last_name
from ascendify.source.scopes import parent

_SAME_TEXT = ("format", "lower", "upper", "strip", "rstrip", "lstrip", "casefold")
_READS = ("get", "pop", "setdefault", "__getitem__")


def of_value(file: File, node: ast.expr) -> Flow:
    """Where the value of an expression goes."""
    tracer = _Tracer(file)
    tracer.value(file.module, node, ())
    return tracer.flow


def of_variable(file: File, node: ast.expr) -> Flow:
    """Where whatever a variable, attribute or entry holds goes, from any place that reads it."""
    tracer = _Tracer(file)
    tracer.variable(file.module, node)
    return tracer.flow


def is_device_object(file: File, node: ast.expr) -> bool:
    """Whether an expression is a ``torch.device`` or speaks of one: ``x.device``, ``device``."""
    if isinstance(node, ast.Call):
        name = file.name(node.func)
        return name == "torch.device"
    kinds, certain = file.resolver.kinds(file.module, node)
    if certain:
        return all(kind == "torch.device" for kind in kinds)
    return _slots.says_device(last_name(node))


class _Tracer(CallTrace):
    """The steps from a part of an expression to the whole, and from there to the statement."""

    def value(self, module: Module, node: ast.expr, path: Path) -> None:
        """Go on from an expression that has the value, or holds it behind a path."""
        if self._visited(node, path):
            return
        owner = parent(node)
        if isinstance(owner, ast.keyword):
            call = parent(owner)
            if isinstance(call, ast.Call):
                self._keyword(module, call, owner, path)
        elif isinstance(owner, ast.Call) and node is not owner.func:
            place = next(i for i, item in enumerate(owner.args) if item is node)
            starred = any(isinstance(item, ast.Starred) for item in owner.args[:place])
            self._argument(module, owner, None, None if starred else place, path)
        elif isinstance(owner, ast.stmt):
            self._statement(module, node, owner, path)
        else:
            self._inside(module, node, owner, path)

    def _inside(self, module: Module, node: ast.expr, owner: ast.AST, path: Path) -> None:
        """Go on from a part of a larger expression."""
        step = _STEPS.get(owner.__class__.__name__)
        if step is None:
            self._lost(module, node)
        else:
            step(self, module, node, owner, path)

    def _part(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        """The larger expression may have the same value."""
        if isinstance(owner, ast.IfExp) and node is owner.test:
            self.flow.shown += 1
        else:
            self.value(module, owner, path)
            if isinstance(owner, ast.NamedExpr):
                self._target(module, owner.target, owner, path)

    def _comparison(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        self.flow.compared.append(self._at(module, node))

    def _comprehension(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        self.value(module, owner, (ITEM, *path))

    def _loop(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        if node is owner.iter and path:
            self._bound(module, owner.target, path[1:])

    def _shown(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        self.flow.shown += 1

    def _text(self, module: Module, node: ast.expr, owner: ast.AST, path: Path) -> None:
        """A text that another one is made of: it names a device if it begins with this one."""
        if path:
            # lists that are put together
            if isinstance(owner, ast.BinOp) and not isinstance(owner.op, ast.Mod):
                self.value(module, owner, path)
            return
        if isinstance(owner, ast.FormattedValue):
            whole = parent(owner)
            if isinstance(whole, ast.JoinedStr) and whole.values[0] is owner:
                self.value(module, whole, ())
        elif isinstance(owner, ast.BinOp) and isinstance(owner.op, ast.Mod):
            # ``'%s:%d' % (device, i)`` and a template that is filled in
            self.value(module, owner, ())
        elif isinstance(owner, ast.BinOp) and owner.left is node:
            self.value(module, owner, ())
        self.flow.shown += 1

    def _item(self, module: Module, node: ast.expr, owner: Any, path: Path) -> None:
        above = parent(owner)
        if isinstance(above, ast.BinOp) and isinstance(above.op, ast.Mod):
            if owner.elts[0] is node:
                self.value(module, above, path)
            return
        place = next(i for i, item in enumerate(owner.elts) if item is node)
        before = key_of(owner.elts[place - 1]) if place else None
        if before is not None and _slots.says_device(before):
            # ``['train.py', '--device', 'cuda']``, ``['MODEL.DEVICE', 'cuda']``
            self._guess(f"the option {before}")
            return
        if isinstance(above, ast.Assign) and isinstance(above.targets[0], (ast.Tuple, ast.List)):
            targets = above.targets[0].elts
            if len(targets) == len(owner.elts):
                self._target(module, targets[place], above, path)
                return
        self.value(module, owner, (ITEM, *path))

    def _dictionary(self, module: Module, node: ast.expr, owner: ast.Dict, path: Path) -> None:
        for key, value in zip(owner.keys, owner.values):
            if value is not node:
                continue
            name = ITEM if key is None else key_of(key)
            if key is None:
                self.value(module, owner, path)
            else:
                evidence = self._evidence(name or "")
                self.value(module, owner, (name or ITEM, *path))
                evidence(f"the entry {name!r}")

    def _member(self, module: Module, node: ast.expr, owner: ast.Attribute, path: Path) -> None:
        """Something is asked of the value: a method of strings, of lists, of dictionaries."""
        call = parent(owner)
        called = isinstance(call, ast.Call) and call.func is owner
        if path and owner.attr == path[0]:
            self.value(module, owner, path[1:])
        elif not called or not isinstance(call, ast.Call):
            self.flow.shown += not path
        elif owner.attr in _SAME_TEXT:
            self.value(module, call, path)
        elif path and owner.attr in _READS and call.args:
            if key_of(call.args[0]) in (path[0], None) or path[0] == ITEM:
                self.value(module, call, path[1:])
        elif path and owner.attr in ("values", "copy", "items"):
            self.value(module, call, path)
        else:
            self.flow.shown += not path

    def _subscript(self, module: Module, node: ast.expr, owner: ast.Subscript, path: Path) -> None:
        if node is not owner.value or not path:
            self.flow.shown += 1
        elif isinstance(owner.ctx, ast.Load) and key_of(owner.slice) in (path[0], None):
            self.value(module, owner, path if isinstance(owner.slice, ast.Slice) else path[1:])

    def _statement(self, module: Module, node: ast.expr, owner: ast.stmt, path: Path) -> None:
        if isinstance(owner, ast.Assign):
            for target in owner.targets:
                self._target(module, target, owner, path)
        elif isinstance(owner, (ast.AnnAssign, ast.AugAssign)):
            if node is owner.value:
                self._target(module, owner.target, owner, path)
            else:
                self.flow.shown += 1
        elif isinstance(owner, ast.Return):
            self._returned(module, owner, path)
        elif isinstance(owner, (ast.For, ast.AsyncFor)):
            if node is owner.iter and path:
                self._bound(module, owner.target, path[1:])
        elif isinstance(owner, (ast.If, ast.While, ast.Assert, ast.Expr, ast.Raise, ast.Delete)):
            self.flow.shown += 1
        elif owner.__class__.__name__ == "Match":
            self.flow.compared.append(self._at(module, node))
        else:
            self._lost(module, node)


_STEPS: dict[str, Callable[[_Tracer, Module, ast.expr, Any, Path], None]] = {
    **dict.fromkeys(("IfExp", "BoolOp", "Starred", "NamedExpr", "Lambda", "Await"), _Tracer._part),
    **dict.fromkeys(("Compare", "MatchValue"), _Tracer._comparison),
    **dict.fromkeys(("BinOp", "FormattedValue", "JoinedStr"), _Tracer._text),
    **dict.fromkeys(("List", "Tuple", "Set"), _Tracer._item),
    **dict.fromkeys(("ListComp", "SetComp", "GeneratorExp"), _Tracer._comprehension),
    **dict.fromkeys(("UnaryOp", "ExceptHandler", "arg"), _Tracer._shown),
    "Dict": _Tracer._dictionary,
    "Attribute": _Tracer._member,
    "Subscript": _Tracer._subscript,
    "comprehension": _Tracer._loop,
    "arguments": _Tracer._default,
}
"""How to go on, by the class of the node around an expression."""
