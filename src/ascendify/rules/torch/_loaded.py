"""What becomes of the result of ``torch.load``: its uses tell what the file holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.source.nodes import last_name
from ascendify.source.scopes import parent, scope_of

_MODEL = frozenset(
    ["eval", "train", "to", "cuda", "npu", "cpu", "half", "float", "parameters", "modules",
     "state_dict", "load_state_dict", "forward", "children", "named_parameters"]
)  # fmt: skip
"""What is asked of a model, and of no dictionary."""
_MOVES = frozenset(["to", "cuda", "npu", "cpu"])
_TRAINED = _MODEL - _MOVES - {"half", "float"}
"""What is asked of a model, and of no tensor either."""


def uses(node: ast.expr) -> list[ast.expr]:
    """The result itself and reads of the variable that gets it, and nothing else."""
    names = list(_variables(node))
    if len(names) == 1 and _is_target(node, names[0]):
        return [node, *_reads(names[0], alone=True)]
    return [node]


def is_model(node: ast.expr) -> bool:
    """Whether the result is used as a model."""
    return any(_called(use) or _asked(use, _MODEL) for use in uses(node))


def may_be_model(node: ast.expr) -> bool:
    """Whether a variable that gets the result, among other values or parts, is used as a model."""
    return any(
        _asked(use, _TRAINED) for name in _variables(node) for use in _reads(name, alone=False)
    )


def is_moved(node: ast.expr) -> bool:
    """Whether the program itself says where the result has to be."""
    return any(_asked(use, _MOVES) for use in uses(node))


def is_copied(node: ast.expr) -> bool:
    """Whether all that is done with the result is to give it, or parts, to load_state_dict."""
    found = uses(node)
    reads = found[1:] if len(found) > 1 else found
    return all(_is_given(use) for use in reads)


def _is_given(use: ast.expr) -> bool:
    """Whether a use, or an entry of it, is the state that ``load_state_dict`` gets."""
    owner = parent(use)
    while isinstance(owner, ast.Subscript) and owner.value is use:
        use, owner = owner, parent(owner)
    if not isinstance(owner, ast.Call) or use not in owner.args:
        return False
    last = last_name(owner.func)
    return last.startswith(("load", "set")) and last.endswith("state_dict")


def _called(use: ast.expr) -> bool:
    owner = parent(use)
    return isinstance(owner, ast.Call) and owner.func is use


def _asked(use: ast.expr, methods: frozenset[str]) -> bool:
    owner = parent(use)
    return isinstance(owner, ast.Attribute) and owner.attr in methods and _called(owner)


def _variables(node: ast.expr) -> Iterator[ast.Name]:
    owner = parent(node)
    if not isinstance(owner, ast.Assign) or owner.value is not node:
        return
    target = owner.targets[0]
    for item in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
        if isinstance(item, ast.Name):
            yield item


def _is_target(node: ast.expr, name: ast.Name) -> bool:
    owner = parent(node)
    return isinstance(owner, ast.Assign) and owner.targets[0] is name


def _reads(variable: ast.Name, *, alone: bool) -> list[ast.Name]:
    """Reads of a variable; ``alone``: only where it never gets another value."""
    scope = scope_of(variable).find(variable.id)
    if scope is None or (alone and len(scope.bindings[variable.id]) != 1):
        return []
    return scope.uses(variable.id)
