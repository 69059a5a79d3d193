"""The shape of the house: which room may know which, and the manners every module keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "ascendify"

LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"cli"}),
    frozenset({"migrate", "verify", "launch", "zoo", "ui"}),
    frozenset({"jobs"}),
    frozenset({"rules", "cluster", "emulation", "processes", "pictures"}),
    frozenset({"reports"}),
    frozenset({"catalog", "source"}),
    frozenset({"findings", "errors"}),
)
"""A room may import rooms of the layers below its own, never a neighbour."""

KNOWS_NOTHING_OF_OURS = frozenset({"source", "findings", "errors"})
ENTRY_POINTS = frozenset({"__init__", "__main__"})
MAY_PRINT = frozenset({"cli"})
PROGRAMS = frozenset({PACKAGE / "launch" / "remote"})
"""Folders whose files are programs of their own, for machines without the command line."""


def layer_of(room: str) -> int:
    """The position of a room's layer, the command line being 0."""
    for number, rooms in enumerate(LAYERS):
        if room in rooms:
            return number
    raise AssertionError(f"src/ascendify/{room} is in no layer: add it to LAYERS on purpose")


def room_of(path: Path) -> str:
    """The folder, or the lone module, of the package that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported_modules(tree: ast.Module, package: str) -> Iterator[str]:
    """Absolute names of what a module imports, wherever in it; relative imports are resolved."""
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
    """Which rooms a module imports; the package itself, for its version, is no room."""
    rooms = {
        parts[1]
        for parts in (name.split(".") for name in imported_modules(tree, package))
        if parts[0] == "ascendify" and len(parts) > 1
    }
    return rooms - {"__version__"}


STAND_INS = tuple(PACKAGE / "emulation" / name for name in ("packages", "startup", "horovod"))
"""Run by the user's interpreter and shaped like what they stand for; they have their own tests."""
MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if not any(folder in path.parents for folder in STAND_INS)
)
TREES = {path: ast.parse(path.read_bytes(), filename=str(path)) for path in MODULES}


def package_of(path: Path) -> str:
    """The dotted package a module's relative imports start from."""
    return ".".join(("ascendify", *path.relative_to(PACKAGE).parent.parts))


def name_of(path: Path) -> str:
    """How a failure names a module."""
    return path.relative_to(PACKAGE).as_posix()


def wrong_imports(path: Path) -> Iterator[str]:
    """Rooms that a module must not import."""
    room = room_of(path)
    if room in ENTRY_POINTS:
        return
    for other in rooms_imported(TREES[path], package_of(path)) - {room}:
        if room in KNOWS_NOTHING_OF_OURS or layer_of(room) >= layer_of(other):
            yield f"{name_of(path)}: {room} must not import {other}"


def test_dependencies_point_down() -> None:
    assert [wrong for path in MODULES for wrong in wrong_imports(path)] == []


def test_no_star_import() -> None:
    stars = [
        f"{name_of(path)}:{node.lineno}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
    ]
    assert stars == []


def test_modules_say_their_jobs() -> None:
    assert [name_of(path) for path, tree in TREES.items() if not ast.get_docstring(tree)] == []


def test_only_the_command_line_prints() -> None:
    printing = [
        f"{name_of(path)}:{node.lineno}"
        for path, tree in TREES.items()
        if room_of(path) not in MAY_PRINT and path.parent not in PROGRAMS
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("print", "input")
    ]
    assert printing == []


def test_every_folder_is_a_package_with_a_docstring() -> None:
    folders = {path.parent for path in MODULES}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


@pytest.mark.parametrize(
    ("source", "rooms"),
    [
        pytest.param("import ascendify.rules.tf1", {"rules"}, id="import"),
        pytest.param("from ascendify.rules import tf1", {"rules"}, id="from"),
        pytest.param("from ascendify import rules", {"rules"}, id="room-by-name"),
        pytest.param("from ascendify import __version__", set(), id="version-is-no-room"),
        pytest.param("from ..rules import tf1", {"rules"}, id="relative"),
        pytest.param("from . import errors", {"migrate"}, id="relative-sibling"),
        pytest.param("def f():\n    import ascendify.cli", {"cli"}, id="inside-a-function"),
        pytest.param("import ascendify_other, os", set(), id="not-ours"),
    ],
)
def test_reading_imports(source: str, rooms: set[str]) -> None:
    assert rooms_imported(ast.parse(source), "ascendify.migrate") == rooms


def stand_in_files() -> list[Path]:
    return sorted(path for folder in STAND_INS for path in folder.rglob("*.py"))


def test_stand_ins_know_nothing_of_ours_and_are_valid_for_python_3_6() -> None:
    for path in stand_in_files():
        tree = ast.parse(path.read_bytes(), filename=str(path), feature_version=(3, 6))
        assert rooms_imported(tree, "elsewhere") == set(), path
