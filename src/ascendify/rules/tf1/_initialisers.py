"""Whether what a session runs initialises all variables."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import File
from ascendify.rules.kit.bindings import bindings
from ascendify.rules.kit.entries import entries
from ascendify.source.flow import backward
from ascendify.source.module import Module

_INITIALISERS = ("tf.global_variables_initializer", "tf.initialize_all_variables")
_DEPTH = 5


def initialises(file: File, node: ast.expr, depth: int = _DEPTH) -> bool:
    """Whether what is run initialises all variables: itself, in a list or group, or by a name.

    An attribute, a parameter or an entry of a dictionary counts where everything that the project
    gives it initialises them.
    """
    if depth == 0:
        return False
    if isinstance(node, ast.Starred):
        node = node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return any(initialises(file, item, depth - 1) for item in node.elts)
    if isinstance(node, ast.Call):
        name = file.name(node.func)
        if name in _INITIALISERS:
            return True
        return name == "tf.group" and any(initialises(file, a, depth - 1) for a in node.args)
    given = list(_given(file, node))
    known = [(module, value) for module, value in given if value is not None]
    decides = any if isinstance(node, ast.Name) else all
    if not known or (decides is all and len(known) < len(given)):
        return False
    return decides(initialises(file.of(module), value, depth - 1) for module, value in known)


def _given(file: File, node: ast.expr) -> Iterator[tuple[Module, ast.expr | None]]:
    """What a name, an attribute or an entry is given; None where that cannot be seen."""
    if isinstance(node, ast.Subscript):
        yield from entries(file.resolver, file.module, node)
        return
    for module, binding in bindings(file.resolver, file.module, node):
        if isinstance(binding.node, ast.arg):
            yield from backward.passed(file.resolver, module, binding.node)
        else:
            yield module, backward.assigned(binding)
