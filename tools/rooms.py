"""The rooms of the package: which there are, which layer each is in, and what each imports.

The architecture page is drawn from this, and the tests hold the code to it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "ascendify"

LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"cli"}),
    frozenset({"port"}),
    frozenset({"migrate", "verify", "launch", "zoo", "ui"}),
    frozenset({"jobs"}),
    frozenset({"rules", "cluster", "emulation", "processes", "pictures", "programs"}),
    frozenset({"reports"}),
    frozenset({"catalog", "source"}),
    frozenset({"findings", "errors"}),
)
"""A room may import rooms of the layers below its own, never a neighbour."""

STAND_INS = tuple(PACKAGE / "emulation" / name for name in ("packages", "startup", "horovod"))
"""Code for the user's interpreter; it imports nothing of ours."""

ENTRY_POINTS = frozenset({"__init__", "__main__"})


def layer_of(room: str) -> int:
    """Return the position of a room's layer; the command line is 0."""
    for number, rooms in enumerate(LAYERS):
        if room in rooms:
            return number
    raise LookupError(f"src/ascendify/{room} is in no layer: add it to LAYERS in tools/rooms.py")


def room_of(path: Path) -> str:
    """Return the folder, or the lone module, of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def package_of(path: Path) -> str:
    """Return the dotted package that a module's relative imports start from."""
    return ".".join(("ascendify", *path.relative_to(PACKAGE).parent.parts))


@cache
def modules() -> tuple[Path, ...]:
    """Return every module of the package outside the stand-ins."""
    return tuple(
        path
        for path in sorted(PACKAGE.rglob("*.py"))
        if not any(folder in path.parents for folder in STAND_INS)
    )


@cache
def tree(path: Path) -> ast.Module:
    """Return the syntax tree of a module."""
    return ast.parse(path.read_bytes(), filename=str(path))


def imported_modules(tree: ast.Module, package: str) -> Iterator[str]:
    """Yield absolute names of what a module imports, wherever in it the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".")
            origin = ".".join(base[: len(base) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (origin, node.module)))
            yield module
            # ``from ascendify import rules`` imports a room by name.
            yield from (f"{module}.{alias.name}" for alias in node.names)


def rooms_imported(tree: ast.Module, package: str) -> set[str]:
    """Return the rooms a module imports; the package itself, for its version, is no room."""
    rooms = {
        parts[1]
        for parts in (name.split(".") for name in imported_modules(tree, package))
        if parts[0] == "ascendify" and len(parts) > 1
    }
    return rooms - {"__version__"}


@cache
def arrows() -> dict[str, frozenset[str]]:
    """Return the rooms that each room imports, from the import statements of all its modules."""
    found: dict[str, set[str]] = {}
    for path in modules():
        room = room_of(path)
        if room not in ENTRY_POINTS:
            others = rooms_imported(tree(path), package_of(path)) - {room}
            found.setdefault(room, set()).update(others)
    return {room: frozenset(others) for room, others in found.items()}
