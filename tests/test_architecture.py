"""Which room may import which, and rules that every module keeps."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import architecture
import pytest
import rooms
from rooms import PACKAGE, STAND_INS, layer_of, modules, package_of, room_of, rooms_imported, tree

IMPORTS_NOTHING_OF_OURS = frozenset({"source", "findings", "errors"})
MAY_PRINT = frozenset({"cli"})
pytestmark = pytest.mark.xdist_group("architecture")
"""One process parses the modules, once."""
PROGRAMS = frozenset({PACKAGE / "launch" / "remote"})
"""Folders whose files are programs of their own, for machines without the command line."""


def name_of(path: Path) -> str:
    """How a failure names a module."""
    return path.relative_to(PACKAGE).as_posix()


def wrong_imports(path: Path) -> Iterator[str]:
    """Rooms that a module must not import."""
    room = room_of(path)
    if room in rooms.ENTRY_POINTS:
        return
    for other in rooms_imported(tree(path), package_of(path)) - {room}:
        if room in IMPORTS_NOTHING_OF_OURS or layer_of(room) >= layer_of(other):
            yield f"{name_of(path)}: {room} must not import {other}"


def test_dependencies_point_down() -> None:
    assert [wrong for path in modules() for wrong in wrong_imports(path)] == []


def test_no_star_import() -> None:
    stars = [
        f"{name_of(path)}:{node.lineno}"
        for path in modules()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ImportFrom) and any(alias.name == "*" for alias in node.names)
    ]
    assert stars == []


def test_every_module_has_a_docstring() -> None:
    assert [name_of(path) for path in modules() if not ast.get_docstring(tree(path))] == []


def test_no_two_public_classes_have_one_name() -> None:
    classes: dict[str, list[str]] = {}
    for path in modules():
        for node in tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                classes.setdefault(node.name, []).append(name_of(path))
    assert {name: where for name, where in classes.items() if len(where) > 1} == {}


def test_only_the_command_line_prints() -> None:
    printing = [
        f"{name_of(path)}:{node.lineno}"
        for path in modules()
        if room_of(path) not in MAY_PRINT and path.parent not in PROGRAMS
        for node in ast.walk(tree(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in ("print", "input")
    ]
    assert printing == []


def test_every_folder_is_a_package_with_a_docstring() -> None:
    folders = {path.parent for path in modules()}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


@pytest.mark.parametrize(
    ("source", "found"),
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
def test_reading_imports(source: str, found: set[str]) -> None:
    assert rooms_imported(ast.parse(source), "ascendify.migrate") == found


def stand_in_files() -> list[Path]:
    return sorted(path for folder in STAND_INS for path in folder.rglob("*.py"))


def test_stand_ins_import_nothing_of_ours_and_are_valid_for_python_3_6() -> None:
    for path in stand_in_files():
        parsed = ast.parse(path.read_bytes(), filename=str(path), feature_version=(3, 6))
        assert rooms_imported(parsed, "elsewhere") == set(), path


@pytest.mark.parametrize("command", architecture.WAYS)
def test_the_way_of_a_command_is_described(command: str) -> None:
    assert len(architecture.WAYS[command]) > 3


def test_every_function_of_a_way_is_called_by_one_before_it() -> None:
    assert architecture.broken_hops() == []


@pytest.mark.parametrize(
    ("hops", "problem"),
    [
        pytest.param(("jobs.plan:plan", "jobs.plan:gone"), "there is no such function", id="gone"),
        pytest.param(("jobs.gone:plan",), "there is no jobs/gone.py", id="no-module"),
        pytest.param(("jobs.plan:plan", "verify.judge:judge"), "mentions it", id="not-called"),
    ],
)
def test_broken_ways(monkeypatch: pytest.MonkeyPatch, hops: tuple[str, ...], problem: str) -> None:
    monkeypatch.setattr(architecture, "WAYS", {"verify": hops})
    assert problem in "".join(architecture.broken_hops())


def test_the_glossary_has_at_most_25_words() -> None:
    page = PACKAGE.parent.parent / "docs" / "architecture.md"
    glossary = page.read_text(encoding="utf-8").partition("## Words")[2].partition("\n| --- ")[2]
    assert 0 < sum(line.startswith("| ") for line in glossary.splitlines()[1:]) <= 25
