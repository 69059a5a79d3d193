"""Repetition: whether a program can reach a place more than once."""

from __future__ import annotations

import ast
from collections.abc import Collection

from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.nodes import FUNCTIONS, LOOPS, decorators, is_called
from ascendify.source.scopes import ancestors, parent
from ascendify.source.values import Function

_DEPTH = 8
"""How many levels of callers are followed."""
_REPEATING = (*LOOPS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_BINDING_ONLY = frozenset({"staticmethod", "classmethod"})


def runs_once(
    resolver: Resolver,
    module: Module,
    node: ast.AST,
    runners: Collection[str] = (),
    depth: int = _DEPTH,
) -> bool:
    """Whether a process surely evaluates a node at most once, unless it runs the file again.

    Args:
        resolver: Finds callers.
        module: The file of the node.
        node: What is evaluated.
        runners: Functions outside the project that call the function they are given, or the
            ``main`` of the file, once.
        depth: How many callers to look up.
    """
    inner = node
    for around in ancestors(node):
        if isinstance(around, _REPEATING):
            return False
        if isinstance(around, FUNCTIONS) and _in_body(around, inner):
            return depth > 0 and _called_once(resolver, module, around, runners, depth - 1)
        inner = around
    return True


def _in_body(function: ast.AST, inner: ast.AST) -> bool:
    """Whether a part of a function runs with its calls: decorators and defaults do not."""
    body = getattr(function, "body", None)
    return inner is body or (isinstance(body, list) and inner in body)


def _called_once(
    resolver: Resolver, module: Module, node: ast.AST, runners: Collection[str], depth: int
) -> bool:
    if not isinstance(node, ast.FunctionDef) or not decorators(node) <= _BINDING_ONLY:
        return False
    function = Function(module, node)
    calls: list[tuple[Module, ast.AST]] = [
        (caller, call) for caller, call, _ in resolver.callers(function)
    ]
    for user in (module, *resolver.project.importers(module.path)):
        for mention in user.index.ending(frozenset({node.name})):
            if is_called(mention) or function not in resolver.infer(user, mention):
                continue
            runner = parent(mention)
            runner = parent(runner) if isinstance(runner, ast.keyword) else runner
            if not _is_runner(resolver, user, runner, runners):
                return False
            calls.append((user, runner))
    if node.name == "main" and isinstance(parent(node), ast.Module):
        calls.extend(
            (module, call)
            for call in module.index.calls_by_name.get("run", ())
            if not call.args and not call.keywords and _is_runner(resolver, module, call, runners)
        )
    return len(calls) == 1 and runs_once(resolver, *calls[0], runners, depth)


def _is_runner(resolver: Resolver, module: Module, call: ast.AST, runners: Collection[str]) -> bool:
    if not isinstance(call, ast.Call):
        return False
    names, certain = resolver.names(module, call.func)
    return certain and len(names) == 1 and names[0] in runners
