"""Options that a program declares with argparse, click, absl or dataclasses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.source.flow.forward import Slot
from ascendify.source.nodes import last_name, strings
from ascendify.source.scopes import FunctionNode, Index, parent


@dataclass(frozen=True)
class OptionDeclaration:
    """One declaration of an option."""

    call: ast.Call
    dest: str
    """The attribute with its value; empty where the call stands for the value itself."""
    flag: str
    """Its spelling on the command line, empty where it has none."""
    values: tuple[object, ...]
    """Arguments of the declaration that are values of the option: keywords and positions."""
    choices: tuple[object, ...] = ("choices",)
    function: FunctionNode | None = None
    """The function whose parameter gets the value."""

    def gives_value(self, slot: Slot) -> bool:
        """Whether an argument of the declaration is a value of the option."""
        return slot in self.values

    def lists_choices(self, slot: Slot) -> bool:
        """Whether an argument lists the values that the option accepts."""
        return slot in self.choices


_ARGPARSE = ("add_argument",)
_CLICK = ("option", "argument")
_ABSL = dict.fromkeys(
    (f"DEFINE_{kind}" for kind in ("string", "enum", "list", "multi_string", "boolean", "bool")),
    (1,),
)
_FIELDS = {
    "field": ("default",),
    "Field": ("default", 0),
    "Option": ("default", 0),
    "Argument": ("default", 0),
    "attrib": ("default", 0),
    "ib": ("default", 0),
}
"""Functions that stand for the default of a field of a dataclass or of a parameter."""


def declared(index: Index) -> Iterator[OptionDeclaration]:
    """Every option that the calls of a file declare."""
    for name in (*_ARGPARSE, *_CLICK, *_ABSL, *_FIELDS):
        for call in index.calls_by_name.get(name, ()):
            found = option(call)
            if found is not None:
                yield found


def option(call: ast.Call) -> OptionDeclaration | None:
    """The option a call declares."""
    last = last_name(call.func)
    if last in _ARGPARSE:
        return _argparse(call)
    if last in _CLICK and _function(call) is not None:
        flags = strings(call.args)
        dest = next((text for text in flags if not text.startswith("-")), None)
        longest = max(flags, key=len, default="")
        return OptionDeclaration(
            call, dest or _as_name(longest), longest, ("default", "flag_value"),
            function=_function(call),
        )  # fmt: skip
    if last in _ABSL and call.args and isinstance(call.args[0], ast.Constant):
        dest = str(call.args[0].value)
        return OptionDeclaration(
            call, dest, f"--{dest}", (*_ABSL[last], "default"), (2, "enum_values")
        )
    if last in _FIELDS:
        return OptionDeclaration(call, "", "", _FIELDS[last])
    return None


def _argparse(call: ast.Call) -> OptionDeclaration | None:
    flags = strings(call.args)
    if not flags:
        return None
    flag = next((text for text in flags if text.startswith("--")), flags[0])
    dest = _as_name(flag)
    for keyword in call.keywords:
        if keyword.arg == "dest" and isinstance(keyword.value, ast.Constant):
            dest = str(keyword.value.value)
    return OptionDeclaration(call, dest, flag, ("default", "const"))


def _as_name(flag: str) -> str:
    return flag.lstrip("-").replace("-", "_")


def _function(call: ast.Call) -> FunctionNode | None:
    """The function a call decorates."""
    owner = parent(call)
    if isinstance(owner, (ast.FunctionDef, ast.AsyncFunctionDef)) and call in owner.decorator_list:
        return owner
    return None
