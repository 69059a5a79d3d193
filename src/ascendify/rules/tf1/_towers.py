"""The number of GPUs of a script: find the literal it comes from, and set it to one."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ascendify.rules.kit import Diagnoses, File, Location, Rule, fixes
from ascendify.source.flow import backward
from ascendify.source.module import Module
from ascendify.source.nodes import keyword_value, string

_DEFINES = ("DEFINE_integer", "DEFINE_multi_integer", "DEFINE_enum")
_DEPTH = 5
_AVERAGED = {
    "tf_strategy": (
        "Gradients are averaged between the processes where TF1-DIST-4 wraps an optimizer or "
        "TF1-DIST-5 averages what tf.gradients computes."
    ),
    "none": "With --distributed tf_strategy gradients are averaged between the processes.",
    "horovod": "Horovod's optimizer, as migrated, averages gradients between the processes.",
}
"""What averages gradients, by how training is distributed."""


def recipe(file: File) -> str:
    """A sentence for findings on what else must be done."""
    averaged = _AVERAGED[file.facts.distributed]
    return f"Start one process per device, each with its share of the data. {averaged}"


@dataclass(frozen=True)
class Count:
    """A number of GPUs: its value, and where it is set."""

    node: ast.Constant
    """The literal to change."""
    name: str
    """The name of the flag or constant, or the literal itself."""
    module: Module
    is_option: bool = False
    """Whether it is an option of the command line, with the literal as default."""

    @property
    def is_one(self) -> bool:
        """Whether it is one already."""
        return self.node.value in (0, 1)


def set_to_one(
    rule: Rule,
    file: File,
    at: Location,
    found: str,
    number: ast.expr | None,
    what: str,
    todo: str,
) -> Diagnoses:
    """Set a number of GPUs to one where its literal is found in the file, else report it.

    ``what`` names the number to the user; ``todo`` is what must be done besides.
    """
    count = None if number is None else _count(file, file.module, number, _DEPTH)
    if count is None:
        yield rule.manual(at, found, todo=f"Set {what} to 1. {todo}")
    elif count.is_one:
        if count.is_option:
            yield rule.info(at, found, todo=f"Keep --{count.name}=1. {todo}")
    elif count.module is not file.module:
        manual = f"Set {count.name} to 1 in {count.module.path}. {todo}"
        yield rule.manual(at, found, todo=manual)
    else:
        if count.is_option:
            what = f"the default of {count.name}"
            todo += f" Do not give another {count.name} on the command line."
        fix = fixes.replacing(file, count.node, "1")
        yield rule.auto_check(at, found, done=f"Set {what} to 1.", todo=todo, fix=fix)


def _count(file: File, module: Module, node: ast.expr, depth: int) -> Count | None:
    if depth == 0:
        return None
    if isinstance(node, ast.Constant):
        return Count(node, str(node.value), module) if _is_number(node) else None
    if isinstance(node, ast.Call):
        if getattr(node.func, "id", "") == "int" and len(node.args) == 1:
            return _count(file, module, node.args[0], depth - 1)
        return None
    if isinstance(node, ast.Name):
        return _variable(file, module, node, depth)
    if isinstance(node, ast.Attribute):
        return _option(file, module, node.attr)
    return None


def _variable(file: File, module: Module, node: ast.Name, depth: int) -> Count | None:
    bindings = backward.definitions(node)
    if len(bindings) == 1 and isinstance(bindings[0].node, ast.arg):
        return _parameter(file, module, bindings[0].node, depth)
    value = backward.only_value(node)
    if isinstance(value, ast.Constant):
        return Count(value, node.id, module) if _is_number(value) else None
    return None if value is None else _count(file, module, value, depth - 1)


def _parameter(file: File, module: Module, argument: ast.arg, depth: int) -> Count | None:
    """The value that every caller passes for a parameter, if it is always the same."""
    found = {
        None if given is None else _count(file, caller, given, depth - 1)
        for caller, given in backward.passed(file.resolver, module, argument)
    }
    return found.pop() if len(found) == 1 else None


def _is_number(node: ast.Constant) -> bool:
    return isinstance(node.value, int) and not isinstance(node.value, bool)


def _option(file: File, module: Module, name: str) -> Count | None:
    """The definition of a command line option whose value is read as an attribute."""
    for where in (module, *file.resolver.project.imported(module)):
        for default in _defaults(where, name) if name in where.source.text else ():
            if isinstance(default, ast.Constant) and _is_number(default):
                return Count(default, name, where, is_option=True)
    return None


def _defaults(module: Module, name: str) -> Iterator[ast.expr]:
    """Defaults of flags and parser arguments of this name."""
    by_name = module.index.calls_by_name
    for call in (item for last in _DEFINES for item in by_name.get(last, ())):
        if call.args and _is_option_name(call.args[0], name):
            given = keyword_value(call, "default")
            if given is not None or len(call.args) > 1:
                yield given if given is not None else call.args[1]
    for call in by_name.get("add_argument", ()):
        named = {item.arg: item.value for item in call.keywords}
        words = [named["dest"]] if "dest" in named else call.args
        if "default" in named and any(_is_option_name(item, name) for item in words):
            yield named["default"]


def _is_option_name(node: ast.expr, name: str) -> bool:
    return (string(node) or "").lstrip("-").replace("-", "_") == name
