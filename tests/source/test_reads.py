"""What an answer was read from, whichever rule reads first."""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.reads import PARTS, Reading, Reads
from ascendify.source.text import SourceText
from ascendify.source.values import Const, Function

FILES = {
    "a.py": "from b import make\nx = make()\n",
    "b.py": "from c import NAME\ndef make():\n    return NAME\n",
    "c.py": "NAME = 'cuda'\n",
    "d.py": "from a import x\ny = x\n",
}


def _last_value(resolver: Resolver, path: str) -> tuple[object, ...]:
    module = resolver.project.module(path)
    assert module is not None
    module.index  # noqa: B018 - the walk that marks scopes
    statement = module.tree.body[-1]
    assert isinstance(statement, ast.Assign)
    return tuple(
        value.value if isinstance(value, Const) else value
        for value in resolver.infer(module, statement.value)
    )


def _files_read(resolver: Resolver, path: str) -> set[str]:
    reading = resolver.project.reading
    _, reads = reading.of(lambda: _last_value(resolver, path))
    return {read[1] for read in reads if read[0] in ("file", *PARTS)}


def test_only_contents_count_where_nobody_keeps_the_reads() -> None:
    files = {**FILES, "e.py": "import p\nz = p.q\n", "p/__init__.py": "", "p/q.py": ""}
    kinds = {}
    for only_contents in (False, True):
        resolver = Resolver(Project(Path(), files, files), CatalogKnowledge())
        reading = resolver.project.reading
        reading.only_contents = only_contents
        reads = reading.of(partial(_last_value, resolver, "e.py"))[1]
        kinds[only_contents] = {read[0] for read in reads}
    assert "inside" in kinds[False]
    assert kinds[True] == {"file"}


@pytest.mark.parametrize("earlier", [[], ["c.py"], ["a.py"], ["d.py", "a.py"]], ids=str)
def test_a_remembered_answer_was_read_from_the_same_files(earlier: list[str]) -> None:
    resolver = Resolver(Project(Path(), FILES, FILES), CatalogKnowledge())
    for path in earlier:
        _last_value(resolver, path)
    assert _files_read(resolver, "d.py") == {"a.py", "b.py", "c.py", "d.py"}
    assert _files_read(resolver, "a.py") == {"a.py", "b.py", "c.py"}


def test_answers_about_other_files_see_an_overlay_only_while_it_lasts() -> None:
    resolver = Resolver(Project(Path(), FILES, FILES), CatalogKnowledge())
    assert _last_value(resolver, "d.py") == ("cuda",)
    with resolver.overlay(Module.parse_text("c.py", SourceText("NAME = 'npu'\n"))):
        assert _last_value(resolver, "d.py") == ("npu",)
    assert _last_value(resolver, "d.py") == ("cuda",)


def _noted(reading: Reading, *paths: str) -> Reads:
    def note() -> None:
        for path in paths:
            reading.note("file", path)

    return reading.of(note)[1]


def test_equal_reads_are_one_object() -> None:
    reading = Reading()
    first = _noted(reading, "a", "b")
    assert first is _noted(reading, "b", "a")
    assert first in reading.from_file("a")


def test_a_search_in_no_file_reads_nothing() -> None:
    reading = Reading()
    _, reads = reading.of(lambda: reading.note_group("a.py", frozenset()))
    assert (reads, reading.groups) == (frozenset(), {})


def test_callers_are_looked_for_in_an_overlay() -> None:
    files = {
        "hub.py": "def place(where):\n    return where\nx = place\n",
        "a.py": "import hub\n",
        "b.py": "import hub\ny = hub.place('cuda')\n",
    }
    resolver = Resolver(Project(Path(), files, files), CatalogKnowledge())
    hub = resolver.project.module("hub.py")
    assert hub is not None
    hub.index  # noqa: B018 - the walk that marks scopes
    function = hub.tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    called = Function(hub, function)

    def callers() -> set[str]:
        return {module.path for module, _, _ in resolver.callers(called)}

    assert callers() == {"b.py"}
    with resolver.overlay(Module.parse_text("a.py", SourceText("import hub\nhub.place('npu')\n"))):
        assert callers() == {"a.py", "b.py"}
    assert callers() == {"b.py"}


USED = {
    "hub.py": "def place(where):\n    return where\n\ndef other(where):\n    return where\n",
    "a.py": "import hub\nhub.place('cuda')\n",
    "b.py": "import hub\nprint(hub)\n",
}


def _callers(resolver: Resolver, number: int) -> Reads:
    """What the callers of a function of the hub are read from."""
    hub = resolver.project.module("hub.py")
    assert hub is not None
    hub.index  # noqa: B018 - the walk that marks scopes
    function = hub.tree.body[number]
    assert isinstance(function, ast.FunctionDef)
    called = Function(hub, function)
    return resolver.project.reading.of(lambda: resolver.callers(called))[1]


def test_callers_that_are_remembered_were_read_from_the_same() -> None:
    resolver = Resolver(Project(Path(), USED, USED), CatalogKnowledge())
    first = _callers(resolver, 0)
    assert _callers(resolver, 0) == first
    assert ("caller", "a.py") in {read[:2] for read in first}


def test_one_read_stands_for_all_files_that_were_searched_for_calls() -> None:
    resolver = Resolver(Project(Path(), USED, USED), CatalogKnowledge())
    reading = resolver.project.reading
    groups = [read for read in _callers(resolver, 0) if read[0] == "group"]
    (group,) = (
        read for read in groups if {member[0] for member in reading.groups[read]} == {"calls"}
    )
    assert group in _callers(resolver, 1)
    assert {read[:2] for read in reading.groups[group]} == {
        ("calls", "a.py"),
        ("calls", "b.py"),
        ("calls", "hub.py"),
    }
    assert any(group in reads for reads in reading.from_file("b.py"))


def test_names_of_calls_outlive_the_trees() -> None:
    project = Project(Path(), USED, USED)
    _callers(Resolver(project, CatalogKnowledge()), 0)
    before = project.call_names("b.py")
    project.release()
    assert before is not None
    assert project.call_names("b.py") is before


def test_names_of_calls_are_those_of_the_text_that_the_project_has_for_a_while() -> None:
    project = Project(Path(), USED, USED)
    before = project.call_names("b.py")
    assert before is not None
    with project.overlay(Module.parse("b.py", b"other()\n")):
        meanwhile = project.call_names("b.py")
    after = project.call_names("b.py")
    assert meanwhile is not None
    assert meanwhile.names == {"other"}
    assert after is not None
    assert after.names == before.names


def test_importers_that_call_a_name() -> None:
    files = {
        "hub.py": "x = 1\n",
        "a.py": "import hub\nz.map(f)\n",
        "b.py": "import hub\nz.filter(f)\n",
        "c.py": "import hub\n(\n",
        "d.py": "z.map(f)\n",
    }
    project = Project(Path(), files, files)
    (found,) = project.importers_calling("hub.py", frozenset({"map"}))
    assert found.path == "a.py"


def test_sets_of_reads_go_with_the_trees() -> None:
    project = Project(Path(), USED, USED)
    _callers(Resolver(project, CatalogKnowledge()), 0)
    project.release()
    assert not project.reading.groups
    assert not list(project.reading.from_file("a.py"))
