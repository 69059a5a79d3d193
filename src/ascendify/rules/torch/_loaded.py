"""Uses of the result of ``torch.load``, which show what the file contains."""

from __future__ import annotations

import ast

from ascendify.source.flow import backward
from ascendify.source.flow.forward import reads
from ascendify.source.nodes import assigned_name, is_called, last_name
from ascendify.source.scopes import parent

_MODEL = frozenset(
    ["eval", "train", "to", "cuda", "npu", "cpu", "half", "float", "parameters", "modules",
     "state_dict", "load_state_dict", "forward", "children", "named_parameters"]
)  # fmt: skip
"""Methods of a model that a dictionary does not have."""
_MOVES = frozenset(["to", "cuda", "npu", "cpu"])
_TRAINED = _MODEL - _MOVES - {"half", "float"}
"""Methods of a model that a tensor does not have either."""


def uses(node: ast.expr) -> list[ast.expr]:
    """The result itself, and reads of a variable that holds nothing else."""
    variable = assigned_name(node)
    if variable is None or len(backward.bindings(variable)) != 1:
        return [node]
    return [node, *reads(variable)]


def is_model(node: ast.expr) -> bool:
    """Whether the result is used as a model."""
    return any(is_called(use) or _calls(use, _MODEL) for use in uses(node))


def may_be_model(node: ast.expr) -> bool:
    """Whether a variable that may hold the result, or a part of it, is used as a model."""
    return any(_calls(use, _TRAINED) for name in _variables(node) for use in reads(name))


def is_moved(node: ast.expr) -> bool:
    """Whether the program moves the result to a device."""
    return any(_calls(use, _MOVES) for use in uses(node))


def is_copied(node: ast.expr) -> bool:
    """Whether the result, or parts of it, are only passed to load_state_dict."""
    found = uses(node)
    return all(_is_passed(use) for use in found[1:] or found)


def _is_passed(use: ast.expr) -> bool:
    """Whether a use, or an entry of it, is passed to ``load_state_dict``."""
    owner = parent(use)
    while isinstance(owner, ast.Subscript) and owner.value is use:
        use, owner = owner, parent(owner)
    if not isinstance(owner, ast.Call) or use not in owner.args:
        return False
    last = last_name(owner.func)
    return last.startswith(("load", "set")) and last.endswith("state_dict")


def _calls(use: ast.expr, methods: frozenset[str]) -> bool:
    owner = parent(use)
    return isinstance(owner, ast.Attribute) and owner.attr in methods and is_called(owner)


def _variables(node: ast.expr) -> list[ast.Name]:
    """The variables that the result, or parts of it, are assigned to."""
    owner = parent(node)
    target = owner.targets[0] if isinstance(owner, ast.Assign) and owner.value is node else None
    found = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    return [item for item in found if isinstance(item, ast.Name)]
