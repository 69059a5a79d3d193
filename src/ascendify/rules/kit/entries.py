"""What a project puts under a key of its dictionaries."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module


def entries(
    resolver: Resolver, module: Module, node: ast.Subscript
) -> Iterator[tuple[Module, ast.expr]]:
    """Every value that a file of the project stores under the key of ``d["key"]``.

    Dictionaries are not told apart: the caller must be content with every value that is found.
    """
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    if not isinstance(key, str) or not isinstance(node.ctx, ast.Load):
        return
    project = resolver.project
    paths = (path for path in sorted(project.relevant) if project.mentions(path, key))
    modules = (project.module(path) for path in paths if path != module.path)
    for one in (module, *filter(None, modules)):
        if one.index.scopes:  # indexed, since callers look at the scopes of what is found
            yield from ((one, value) for value in _stored(one, key))


def _stored(module: Module, key: str) -> Iterator[ast.expr]:
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Assign):
            if any(_has_key(target, key) for target in node.targets):
                yield node.value
        elif isinstance(node, ast.Dict):
            yield from (v for k, v in zip(node.keys, node.values) if _is(k, key))
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "dict":
            yield from (item.value for item in node.keywords if item.arg == key)


def _has_key(target: ast.expr, key: str) -> bool:
    return isinstance(target, ast.Subscript) and _is(target.slice, key)


def _is(node: ast.expr | None, key: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == key
