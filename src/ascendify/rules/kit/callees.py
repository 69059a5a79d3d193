"""What a call calls: find calls by name, and say whether the name itself is written there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.site import CallSite, File
from ascendify.source.flow import backward
from ascendify.source.scopes import Binding
from ascendify.source.values import Package, Ref


def calls(file: File, *names: str) -> Iterator[CallSite]:
    """Calls that surely call one of these names, spelled with its last part as people do.

    Only such calls are looked at, which costs nothing in a file that has none.
    """
    for last in dict.fromkeys(name.rpartition(".")[2] for name in names):
        for node in file.module.index.calls_by_name.get(last, ()):
            found = file.name(node.func)
            if found in names:
                yield CallSite(file, node, found)


def is_direct(file: File, func: ast.expr) -> bool:
    """True for ``tf.nn.dropout``, an imported name or a plain alias of one.

    False for a ``functools.partial``, a method of an object and a parameter: what the call does
    cannot be seen there.
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
