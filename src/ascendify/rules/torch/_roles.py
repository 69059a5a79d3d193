"""What a text is for: follow a value through a project to the places that take it.

The text itself says nothing: ``'cuda'`` may be a device, a folder, a word of the user's own. Its
value is followed through conditions, variables, attributes, containers, options, parameters and
results until it arrives somewhere that decides.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, ClassVar

from ascendify.rules.kit import File
from ascendify.rules.torch._flow import Flow
from ascendify.rules.torch._hints import says_device
from ascendify.rules.torch._trace_calls import CallTrace
from ascendify.source.flow.forward import ITEM, Forward, Path, Step, key_of
from ascendify.source.module import Module
from ascendify.source.nodes import call_of, last_name
from ascendify.source.scopes import parent

_SAME_TEXT = ("format", "lower", "upper", "strip", "rstrip", "lstrip", "casefold")
_READS = ("get", "pop", "setdefault", "__getitem__")


def of_value(file: File, node: ast.expr) -> Flow:
    """Where the value of an expression goes."""
    tracer = _Tracer(file)
    tracer.follow(file.module, node)
    return tracer.flow


def of_variable(file: File, node: ast.expr) -> Flow:
    """Where whatever a variable, attribute or entry holds goes, from any place that reads it."""
    tracer = _Tracer(file)
    tracer.all_reads(file.module, node)
    return tracer.flow


def is_device_object(file: File, node: ast.expr) -> bool:
    """Whether an expression is a ``torch.device`` or speaks of one: ``x.device``, ``device``."""
    if isinstance(node, ast.Call):
        name = file.name(node.func)
        return name == "torch.device"
    kinds, certain = file.resolver.kinds(file.module, node)
    if certain:
        return all(kind == "torch.device" for kind in kinds)
    return says_device(last_name(node))


class _Tracer(CallTrace):
    """The steps from a part of an expression to the whole, and from there to the statement."""

    def store(self, module: Module, target: ast.expr, binding: ast.AST, path: Path) -> None:
        """Go on from what is given the value; items that are not told apart get it all."""
        several = isinstance(target, (ast.Tuple, ast.List)) and path[:1] != (ITEM,)
        if not several and not isinstance(target, ast.Starred):
            super().store(module, target, binding, path)

    def on_text(self, module: Module, node: ast.expr, around: Any, path: Path) -> None:
        """A text that another one is made of: it names a device if it begins with this one."""
        fills = isinstance(around, ast.BinOp) and isinstance(around.op, ast.Mod)
        if path:
            # lists that are put together
            if isinstance(around, ast.BinOp) and not fills:
                self.follow(module, around, path)
            return
        if isinstance(around, ast.FormattedValue):
            whole = parent(around)
            if isinstance(whole, ast.JoinedStr) and whole.values[0] is around:
                self.follow(module, whole)
        elif fills or getattr(around, "left", None) is node:
            # ``'%s:%d' % (device, i)`` and a template that is filled in
            self.follow(module, around)
        self.flow.shown += 1

    def on_item(self, module: Module, node: ast.expr, around: Any, path: Path) -> None:
        """An item of a display; one behind the name of an option is the option's value."""
        owner = parent(around)
        if isinstance(owner, ast.BinOp) and isinstance(owner.op, ast.Mod):
            if around.elts[0] is node:
                self.follow(module, owner, path)
            return
        place = next(i for i, item in enumerate(around.elts) if item is node)
        before = key_of(around.elts[place - 1]) if place else None
        if before is not None and says_device(before):
            # ``['train.py', '--device', 'cuda']``, ``['MODEL.DEVICE', 'cuda']``
            self._guess(f"the option {before}")
        else:
            super().on_item(module, node, around, path)

    def on_dictionary(self, module: Module, node: ast.expr, around: ast.Dict, path: Path) -> None:
        """An entry, whose key is a hint too."""
        keys = (key for key, value in zip(around.keys, around.values) if value is node)
        name = key_of(next(keys, None))
        with self._evidence(name or "", f"the entry {name!r}"):
            super().on_dictionary(module, node, around, path)

    def on_member(self, module: Module, node: ast.expr, around: ast.Attribute, path: Path) -> None:
        """Something is asked of the value: a method of strings, of lists, of dictionaries."""
        call = call_of(around)
        if path and around.attr == path[0]:
            self.follow(module, around, path[1:])
        elif call is None:
            self.flow.shown += not path
        elif around.attr in _SAME_TEXT:
            self.follow(module, call, path)
        elif path and around.attr in _READS and call.args:
            if key_of(call.args[0]) in (path[0], None) or path[0] == ITEM:
                self.follow(module, call, path[1:])
        elif path and around.attr in ("values", "copy", "items"):
            self.follow(module, call, path)
        else:
            self.flow.shown += not path

    steps: ClassVar[Mapping[str, Step]] = {
        **dict.fromkeys(
            ("IfExp", "BoolOp", "Starred", "NamedExpr", "Lambda", "Await"), Forward.on_whole
        ),
        **dict.fromkeys(
            ("Compare", "MatchValue", "Match", "UnaryOp", "ExceptHandler", "arg", "If", "While",
             "Assert", "Expr", "Raise", "Delete"),
            Forward.on_read,
        ),
        **dict.fromkeys(("BinOp", "FormattedValue", "JoinedStr"), on_text),
        **dict.fromkeys(("List", "Tuple", "Set"), on_item),
        **dict.fromkeys(("ListComp", "SetComp", "GeneratorExp"), Forward.on_comprehension),
        **dict.fromkeys(("For", "AsyncFor", "comprehension"), Forward.on_loop),
        **dict.fromkeys(("Assign", "AnnAssign", "AugAssign"), Forward.on_assignment),
        "Dict": on_dictionary,
        "Attribute": on_member,
        "Subscript": Forward.on_subscript,
        "keyword": Forward.on_keyword,
        "Call": Forward.on_call,
        "Return": Forward.on_return,
        "arguments": Forward.on_default,
    }  # fmt: skip
