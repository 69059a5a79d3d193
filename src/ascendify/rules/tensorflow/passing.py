"""Where a run config, an estimator, a strategy or an optimizer is made, and what it is passed to.

Replacing the class of a ``RunConfig`` needs every call it may come from and every call it may be
passed to, across files.
"""

from __future__ import annotations

import ast

from ascendify.rules.kit import statements
from ascendify.source.flow import backward
from ascendify.source.flow import uses as forward
from ascendify.source.flow.backward import Origins
from ascendify.source.flow.outside import Outside
from ascendify.source.flow.uses import OutsideCall, ValueUses
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module

__all__ = ["Origins", "OutsideCall", "ValueUses", "origins", "uses"]

_OUTSIDE = Outside(
    same=frozenset({"replace", "_replace"}),
    copies=frozenset({"copy.copy", "copy.deepcopy"}),
    looks=(
        *statements.LOGGING,
        "pprint.",
        *(
            f"builtins.{name}"
            for name in [
                "isinstance",
                "str",
                "repr",
                "type",
                "id",
                "bool",
                "hasattr",
                "vars",
                "dir",
            ]
        ),
    ),
)


def origins(resolver: Resolver, module: Module, node: ast.expr) -> Origins:
    """Every call an expression's value may come from."""
    return backward.origins(resolver, module, node, _OUTSIDE)


def uses(resolver: Resolver, module: Module, node: ast.expr) -> ValueUses:
    """Every call the value of an expression may be passed to."""
    return forward.uses(resolver, module, node, _OUTSIDE)
