"""How rules spell the NPU's API: one function a thing they put into the user's code."""

from __future__ import annotations

import ast

from ascendify.rules.fix import Fix
from ascendify.rules.site import File
from ascendify.source.scopes import scope_of
from ascendify.source.values import Function

OPTIONS_MODULE = "npu_options"
"""The generated module that carries the options the user asked for."""


def session_config(file: File, fix: Fix) -> tuple[str, str]:
    """Function and leading keyword that turn a session config into one for the NPU.

    With NPU options asked for it is the generated module's, which writes them into the config.
    """
    if file.facts.npu_options:
        return fix.use(OPTIONS_MODULE, "session_config"), ""
    return fix.use("npu_bridge.npu_init", "npu_config_proto"), "config_proto="


def is_session_config(file: File, node: ast.expr) -> bool:
    """Whether an expression already is a session config for the NPU.

    Made by ``npu_config_proto`` or the options module, or given an ``NpuOptimizer`` entry by hand.
    """
    for value in _sources(file, node):
        if isinstance(value, ast.Call) and _makes_config(file, value):
            return True
    return isinstance(node, (ast.Name, ast.Attribute)) and _has_entry(file, node)


def _sources(file: File, node: ast.expr) -> list[ast.expr]:
    """The expression and, for a variable, everything assigned to it in its scope."""
    if not isinstance(node, ast.Name):
        return [node]
    scope = scope_of(node).find(node.id)
    bindings = scope.bindings[node.id] if scope is not None else []
    return [node, *(item.value for item in bindings if item.value is not None)]


def _makes_config(file: File, call: ast.Call) -> bool:
    if file.name(call.func) == "npu.npu_config_proto":
        return True
    return any(
        isinstance(value, Function) and value.module.path.endswith(f"{OPTIONS_MODULE}.py")
        for value in file.resolver.infer(file.module, call.func)
    ) or file.name(call.func) == f"{OPTIONS_MODULE}.session_config"


def _has_entry(file: File, node: ast.expr) -> bool:
    """Whether the file adds a custom optimizer to this very config: ``config....custom_optimizers``."""
    spelled = file.text(node)
    return any(
        isinstance(reference, ast.Attribute)
        and file.text(reference).startswith(f"{spelled}.graph_options.rewrite_options.custom_opt")
        for reference in file.module.index.references
    )
