"""Show what inference knows about a line of a project; for people who write rules.

    python tools/show_line.py FOLDER FILE:LINE
    python tools/show_line.py examples/session-mnist train.py:33

For every expression of the line: the dotted names it may refer to and the values it may have. A
name a rule can fire on is one that is shown with ``name``; ``or something else`` means that
inference does not know all of it, and that a rule may report but not rewrite.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.values import UNKNOWN, Value


def lines(folder: Path, path: str, number: int) -> Iterator[str]:
    """Yield what is known of each expression that starts on a line of a file."""
    files = [item.relative_to(folder).as_posix() for item in sorted(folder.rglob("*.py"))]
    project = Project(folder, files)
    module = project.module(path)
    if module is None:
        raise SystemExit(f"{path}: {project.errors[path].reason}")
    resolver = Resolver(project, CatalogKnowledge())
    _ = module.index  # indexing marks every node with its scope, which inference reads
    for node in ast.walk(module.tree):
        if isinstance(node, ast.expr) and node.lineno == number and _is_read(node):
            yield module.segment(node)
            yield from (f"    {line}" for line in _known(resolver, module, node))


def _is_read(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", ast.Load()), ast.Load)


def _known(resolver: Resolver, module: Module, node: ast.expr) -> Iterator[str]:
    names, certain = resolver.names(module, node)
    for name in names:
        yield f"name {name}" + ("" if certain else ", or something else")
    values = resolver.infer(module, node)
    yield from (f"value {_brief(value)}" for value in values if value is not UNKNOWN)
    if UNKNOWN in values:
        yield "value or something else" if len(values) > 1 else "value not known"


def _brief(value: Value) -> str:
    """A value without the trees inside it."""
    module, node = getattr(value, "module", None), getattr(value, "node", None)
    if module is not None and node is not None:
        name = getattr(node, "name", "lambda")
        return f"{type(value).__name__} {name} of {module.path}:{node.lineno}"
    cls = getattr(value, "cls", None)
    return f"Object of {_brief(cls)}" if cls is not None else str(value)


def main(arguments: list[str]) -> int:
    """Read the command line and print."""
    if len(arguments) != 2 or ":" not in arguments[1]:
        print(__doc__, file=sys.stderr)
        return 2
    path, _, number = arguments[1].rpartition(":")
    if not number.isdigit() or not (Path(arguments[0]) / path).is_file():
        print(f"no line {number} of a file {path} in {arguments[0]}", file=sys.stderr)
        return 2
    for line in lines(Path(arguments[0]), path, int(number)):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
