"""What an answer was read from, whoever asked first."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project
from ascendify.source.reads import Reading, Reads
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
    return {read[1] for read in reads if read[0] == "file"}


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
    assert first in reading.containing["a"]


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
