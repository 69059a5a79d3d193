"""Find out what a text such as ``'cuda'`` is used for: a device, or something else.

The text alone decides nothing: it may be a device, a folder or a word of the program. Its value is
followed through conditions, variables, attributes, containers, options, parameters and results to
the calls that take it.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any, ClassVar, Union

from ascendify.catalog import signatures, torch_devices
from ascendify.rules.kit import File
from ascendify.rules.torch import _options
from ascendify.rules.torch._device_flow import DeviceFlow, DeviceUses, says_device
from ascendify.source.flow.forward import ITEM, Forward, Path, Slot, Step, key_of
from ascendify.source.module import Module
from ascendify.source.nodes import call_of, last_name, receiver
from ascendify.source.scopes import parent, scope_of
from ascendify.source.values import Class, Function, Partial

_UNBOUND = frozenset(
    f"{cls}.{method}"
    for cls in ("torch.Tensor", "torch.nn.Module")
    for method in torch_devices.methods()
)
"""Methods as functions of their class, which get the object as the first argument."""
_HANDED_ON = frozenset(
    [("getattr", 2), ("getenv", 1), ("getenv", "default"), ("get", 1), ("get", "default"),
     ("pop", 1), ("setdefault", 1), ("setdefault", "default"), ("str", 0), ("copy", 0),
     ("deepcopy", 0), ("cast", 1)]
)  # fmt: skip
"""Functions that may return an argument: their names, and its position or name."""
_SAME_ITEMS = frozenset(
    ["list", "tuple", "set", "sorted", "cycle", "iter", "reversed", "enumerate"]
)
"""Functions that return a container with the items of another one."""
_SHOWS = frozenset(
    ["print", "info", "debug", "warning", "warn", "error", "exception", "critical", "log",
     "write", "writelines", "display", "echo", "add_text", "isinstance", "len", "hash", "repr",
     "format_map", "join", "count", "index", "find", "split", "ValueError", "RuntimeError",
     "AssertionError", "TypeError", "NotImplementedError", "Exception", "skipif", "skip",
     "set_postfix", "set_description", "open", "Path", "exists"]
)  # fmt: skip
"""Functions that only print, count or compare an argument, or make a path of it."""
_SHOWING = ("os.path.", "logging.", "warnings.", "pathlib.", "builtins.print")
_SAME_TEXT = ("format", "lower", "upper", "strip", "rstrip", "lstrip", "casefold")
_READS = ("get", "pop", "setdefault", "__getitem__")


def of_value(file: File, node: ast.expr) -> DeviceUses:
    """The uses of the value of an expression."""
    walk = _Walk(file)
    walk.follow(file.module, node)
    return walk.uses


def of_variable(file: File, node: ast.expr) -> DeviceUses:
    """The uses of a variable, attribute or entry, from every place that reads it."""
    walk = _Walk(file)
    walk.all_reads(file.module, node)
    return walk.uses


def is_device_object(file: File, node: ast.expr) -> bool:
    """Whether an expression is a ``torch.device``, or its name says so: ``x.device``."""
    if isinstance(node, ast.Call):
        return file.name(node.func) == "torch.device"
    kinds, certain = file.resolver.kinds(file.module, node)
    if certain:
        return all(kind == "torch.device" for kind in kinds)
    return says_device(last_name(node))


class _Walk(DeviceFlow):
    """The steps from an expression to what is around it, and from an argument into the call."""

    def store(self, module: Module, target: ast.expr, binding: ast.AST, path: Path) -> None:
        """Continue with the target of an assignment; skip unpacking of an unknown item."""
        several = isinstance(target, (ast.Tuple, ast.List)) and path[:1] != (ITEM,)
        if not several and not isinstance(target, ast.Starred):
            super().store(module, target, binding, path)

    def on_text(self, module: Module, node: ast.expr, around: Any, path: Path) -> None:
        """Continue with a string that begins with this one, which names a device too."""
        fills = isinstance(around, ast.BinOp) and isinstance(around.op, ast.Mod)
        if path:
            # concatenated lists
            if isinstance(around, ast.BinOp) and not fills:
                self.follow(module, around, path)
            return
        if isinstance(around, ast.FormattedValue):
            whole = parent(around)
            if isinstance(whole, ast.JoinedStr) and whole.values[0] is around:
                self.follow(module, whole)
        elif fills or getattr(around, "left", None) is node:
            # ``'%s:%d' % (device, i)`` and a template that is formatted
            self.follow(module, around)
        self.uses.shown += 1

    def on_item(self, module: Module, node: ast.expr, around: Any, path: Path) -> None:
        """Continue with a list; an item after the name of an option is the option's value."""
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
        """Continue with a dictionary; the key is a hint too."""
        keys = (key for key, value in zip(around.keys, around.values) if value is node)
        name = key_of(next(keys, None))
        with self._evidence(name or "", f"the entry {name!r}"):
            super().on_dictionary(module, node, around, path)

    def on_member(self, module: Module, node: ast.expr, around: ast.Attribute, path: Path) -> None:
        """Continue with the result of a method of strings, lists or dictionaries."""
        call = call_of(around)
        if path and around.attr == path[0]:
            self.follow(module, around, path[1:])
        elif call is None:
            self.uses.shown += not path
        elif around.attr in _SAME_TEXT:
            self.follow(module, call, path)
        elif path and around.attr in _READS and call.args:
            if key_of(call.args[0]) in (path[0], None) or path[0] == ITEM:
                self.follow(module, call, path[1:])
        elif path and around.attr in ("values", "copy", "items"):
            self.follow(module, call, path)
        else:
            self.uses.shown += not path

    def argument(
        self, module: Module, call: ast.Call, node: ast.expr, slot: Slot, path: Path
    ) -> None:
        """Note a call that takes a device or prints the value; continue inside the project."""
        names, _ = self.resolver.names(module, call.func)
        if isinstance(slot, int) and slot and self.resolver.spelled(module, call.func) in _UNBOUND:
            # ``torch.Tensor.to(x, 'cuda')``: the object is the first argument
            slot -= 1
        if any(_takes(item, slot) for item in names):
            self._take(module, call)
            return
        if self._into_project(module, call, slot, path):
            return
        last, owner = last_name(call.func), receiver(call)
        method = torch_devices.methods().get(last, {}) if owner is not None else {}
        given = slot in method if isinstance(slot, str) else slot in method.values()
        if owner is not None and slot is not None and given and self._may_be_torch(module, owner):
            self._take(module, call)
            return
        if self._through(module, call, node, last, slot, path):
            return
        if last in _SHOWS or any(item.startswith(_SHOWING) for item in names):
            self.uses.shown += 1
        elif isinstance(slot, str) and says_device(slot):
            foreign = any(map(torch_devices.is_foreign, names))
            text = f"{slot}= of {self._callee(module, call)}"
            if foreign:
                self.lost(module, call, text)
            else:
                self._guess(text)
        elif says_device(last) and slot == 0:
            self._guess(self._callee(module, call))
        else:
            self.lost(module, call, self._callee(module, call))

    def _into_project(self, module: Module, call: ast.Call, slot: Slot, path: Path) -> bool:
        """Continue inside functions and classes of the project; False where none is called."""
        found = False
        for item in self.resolver.infer(module, call.func):
            value = item.target if isinstance(item, Partial) else item
            entered = self.entered(module, call, value)
            if (entered is not None and self.enter(*entered, slot, path)) or (
                isinstance(value, Class) and self._construct(module, call, value, slot, path)
            ):
                found = True
        return found

    def _construct(
        self, module: Module, call: ast.Call, cls: Class, slot: Slot, path: Path
    ) -> bool:
        """Continue with a field of a dataclass, or note a base class of torch that takes it."""
        fields = [
            item.target.id
            for item in cls.node.body
            if isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name)
        ]
        name = slot if isinstance(slot, str) else None
        if isinstance(slot, int) and slot < len(fields):
            name = fields[slot]
        if name is not None and name in scope_of(cls.node).bindings:
            self.class_attribute(cls.module, cls.node, name, path)
            return True
        bases = self.resolver.external_bases(cls)
        taken = name is not None and any(_takes(base, name) for base in bases)
        if taken:
            self._take(module, call)
        return taken

    def _through(
        self, module: Module, call: ast.Call, node: ast.expr, last: str, slot: Slot, path: Path
    ) -> bool:
        """Continue with calls that return the value or store it; False for other calls."""
        if (last, slot) in _HANDED_ON:
            self._named_default(module, call, last, path)
        elif last == "format" or (last in _SAME_ITEMS and path):
            self.follow(module, call, path)
        elif last == "setattr" and slot == 2:
            key = key_of(call.args[1])
            if key is not None:
                self._attribute(module, key, call.args[0], path, None)
        elif last in ("append", "add", "insert") and isinstance(call.func, ast.Attribute):
            self.held(module, call.func.value, (ITEM, *path))
        elif last == "partial" and slot:
            inner = ast.copy_location(
                ast.Call(func=call.args[0], args=call.args[1:], keywords=call.keywords), call
            )
            self.argument(module, inner, node, slot - 1 if isinstance(slot, int) else slot, path)
        elif last == "dict" and isinstance(slot, str):
            self.follow(module, call, (slot, *path))
        else:
            return self._as_option(module, call, slot, path)
        return True

    def _named_default(self, module: Module, call: ast.Call, last: str, path: Path) -> None:
        """Continue with ``options.get('device', 'cuda')``; the key is a hint too."""
        key = key_of(call.args[1 if last == "getattr" else 0]) if call.args else None
        with self._evidence(key or "", f"the entry {key!r}"):
            self.follow(module, call, path)
            if last == "setdefault" and key is not None and isinstance(call.func, ast.Attribute):
                self._entries(module, call.func.value, key, path)

    def _as_option(self, module: Module, call: ast.Call, slot: Slot, path: Path) -> bool:
        option = _options.option(call)
        if option is None:
            return False
        if not option.gives_value(slot):
            # ``dest='cuda'`` is a name, ``help='cuda'`` a description
            self.uses.shown += 1
        elif option.function is not None:
            if not self.enter(Function(module, option.function), 0, option.dest, path):
                self._guess(f"the option {option.dest}")
        elif option.dest:
            self.option(module, option.dest, path)
        else:
            # the default of a field or parameter: the call stands for the value
            self.follow(module, call, path)
        return True

    def returned(
        self, module: Module, function: Union[ast.FunctionDef, ast.AsyncFunctionDef], path: Path
    ) -> None:
        """Continue with the results of a function, whose name is a hint too."""
        with self._evidence(function.name, f"the result of {function.name}()"):
            super().returned(module, function, path)

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


def _takes(callee: str, slot: Slot) -> bool:
    """Whether an argument is a device, by the catalogue or the function's signature."""
    name, place = (slot, None) if isinstance(slot, str) else (None, slot)
    if torch_devices.takes(callee, name, place):
        return True
    if name is not None or place is None or not callee.startswith("torch."):
        return False
    if torch_devices.parameters(callee) is not None:
        return False
    signature = signatures.signature(callee)
    names = () if signature is None else signature.positional
    return place < len(names) and torch_devices.is_device_parameter(names[place])
