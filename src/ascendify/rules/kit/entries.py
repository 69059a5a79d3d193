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
    spellings = (f'"{key}"', f"'{key}'", f"{key}=", f"{key} =")
    paths = (path for path in project.relevant_with(*spellings) if path != module.path)
    modules = map(project.module, paths)
    for one in (module, *filter(None, modules)):
        yield from ((one, value) for value in one.index.stored.get(key, ()))
