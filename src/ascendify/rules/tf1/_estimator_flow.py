"""Where a run config, an estimator, a strategy or an optimizer is made and where it goes.

Deciding whether a ``RunConfig`` may become another class needs every call it may come from and
every call it may end up in, across files.
"""

from __future__ import annotations

import ast

from ascendify.source.flow import backward
from ascendify.source.flow import uses as forward
from ascendify.source.flow.backward import Origins
from ascendify.source.flow.outside import Outside
from ascendify.source.flow.uses import Use, Uses
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module

__all__ = ["Origins", "Use", "Uses", "origins", "uses"]

_OUTSIDE = Outside(
    same=frozenset({"replace", "_replace"}),
    copies=frozenset({"copy.copy", "copy.deepcopy"}),
    looks=(
        "builtins.print", "builtins.isinstance", "builtins.str", "builtins.repr", "builtins.type",
        "builtins.id", "builtins.bool", "builtins.hasattr", "builtins.vars", "builtins.dir",
        "tf.logging.", "logging.", "absl.logging.", "pprint.",
    ),
)  # fmt: skip


def origins(resolver: Resolver, module: Module, node: ast.expr) -> Origins:
    """Every call an expression's value may come from."""
    return backward.origins(resolver, module, node, _OUTSIDE)


def uses(resolver: Resolver, module: Module, node: ast.expr) -> Uses:
    """Every call the value of an expression may be passed to."""
    return forward.uses(resolver, module, node, _OUTSIDE)
