"""Following a device into calls: what PyTorch takes, what the project does, what only shows it."""

from __future__ import annotations

import ast
from typing import Union

from ascendify.catalog import signatures, torch_devices
from ascendify.rules.torch import _options
from ascendify.rules.torch._hints import says_device
from ascendify.rules.torch._trace_storage import StorageTrace
from ascendify.source.flow.forward import ITEM, Path, Slot, key_of
from ascendify.source.module import Module
from ascendify.source.nodes import last_name, receiver
from ascendify.source.scopes import scope_of
from ascendify.source.values import Class, Function, Partial

_UNBOUND = frozenset(
    f"{cls}.{method}"
    for cls in ("torch.Tensor", "torch.nn.Module")
    for method in torch_devices.methods()
)
"""Methods that are called through their class."""
_HANDED_ON = frozenset(
    [("getattr", 2), ("getenv", 1), ("getenv", "default"), ("get", 1), ("get", "default"),
     ("pop", 1), ("setdefault", 1), ("setdefault", "default"), ("str", 0), ("copy", 0),
     ("deepcopy", 0), ("cast", 1)]
)  # fmt: skip
"""Calls whose result may be an argument of theirs: the function and where the argument stands."""
_SAME_ITEMS = frozenset(
    ["list", "tuple", "set", "sorted", "cycle", "iter", "reversed", "enumerate"]
)
"""Calls that give a container of the items of another."""
_SHOWS = frozenset(
    ["print", "info", "debug", "warning", "warn", "error", "exception", "critical", "log",
     "write", "writelines", "display", "echo", "add_text", "isinstance", "len", "hash", "repr",
     "format_map", "join", "count", "index", "find", "split", "ValueError", "RuntimeError",
     "AssertionError", "TypeError", "NotImplementedError", "Exception", "skipif", "skip",
     "set_postfix", "set_description", "open", "Path", "exists"]
)  # fmt: skip
"""Calls that only show, count or compare what they are given, or make a path of it."""
_SHOWING = ("os.path.", "logging.", "warnings.", "pathlib.", "builtins.print")


class CallTrace(StorageTrace):
    """The steps from an argument to what becomes of it, and from a result to who gets it."""

    def argument(
        self, module: Module, call: ast.Call, node: ast.expr, slot: Slot, path: Path
    ) -> None:
        """Go on from an argument: something that takes a device, the project, or what shows it."""
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
            self.flow.shown += 1
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
        """Go on inside functions and classes of the project; False when nothing is known of any."""
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
        """Go on from a field of a dataclass, or see that a base of torch's takes the argument."""
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
        """Calls that hand the value on, or keep it."""
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
        """``options.get('device', 'cuda')``: the name of the entry is a hint too."""
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
            # ``dest='cuda'`` is a name, ``help='cuda'`` a remark
            self.flow.shown += 1
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
        """Go on from the results of a function, whose name is a hint too."""
        with self._evidence(function.name, f"the result of {function.name}()"):
            super().returned(module, function, path)


def _takes(callee: str, slot: Slot) -> bool:
    """Whether an argument is a device, by the tables or by the signature of what is called."""
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
