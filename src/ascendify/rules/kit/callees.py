"""What a call calls: found by its last name, and whether another may be named in its place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.site import CallSite, File
from ascendify.source.flow import backward
from ascendify.source.scopes import Binding
from ascendify.source.values import Package, Ref


def calls(file: File, *names: str) -> Iterator[CallSite]:
    """Calls that surely call one of these names, spelled with its last part as people do.

    Looks only at calls spelled so, which costs nothing in a file that has none.
    """
    for last in dict.fromkeys(name.rpartition(".")[2] for name in names):
        for node in file.module.index.calls_by_name.get(last, ()):
            found = file.name(node.func)
            if found in names:
                yield CallSite(file, node, found)


def is_direct(file: File, func: ast.expr) -> bool:
    """True for ``tf.nn.dropout``, an imported name or a plain alias of one.

    False for what carries arguments of its own (``functools.partial``), comes from an object or
    is passed in: there the call cannot be read without following where it came from.
    """
    if isinstance(func, ast.Attribute):
        owner = file.resolver.infer(file.module, func.value)
        return bool(owner) and all(isinstance(value, (Ref, Package)) for value in owner)
    if not isinstance(func, ast.Name):
        return False
    # a name without a binding comes from a star import
    return all(_names_it(file, binding) for binding in backward.bindings(func))


def _names_it(file: File, binding: Binding) -> bool:
    if binding.kind == "import":
        return True
    value = binding.value
    return (
        binding.kind == "assign"
        and not binding.path
        and isinstance(value, (ast.Name, ast.Attribute))
        and is_direct(file, value)
    )
