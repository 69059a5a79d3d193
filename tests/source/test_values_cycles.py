"""Inference ends where modules import names from each other or from themselves."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.inference.expressions import HANDLERS
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project


def _inferred(files: dict[str, str]) -> str:
    """What the last expression of main.py is."""
    resolver, module = _project(files)
    return repr(resolver.infer(module, _expression(module, -1)))


def _project(files: dict[str, str]) -> tuple[Resolver, Module]:
    project = Project(Path(), list(files), files)
    module = project.module("main.py")
    assert isinstance(module, Module)
    assert module.index
    return Resolver(project, CatalogKnowledge()), module


def _expression(module: Module, number: int) -> ast.expr:
    statement = module.tree.body[number]
    assert isinstance(statement, ast.Expr)
    return statement.value


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(
            {"main.py": "from other import run\nrun\n", "other.py": "from main import run\n"},
            id="two from each other",
        ),
        pytest.param(
            {"main.py": "from other import *\nrun\n", "other.py": "from main import *\n"},
            id="two by star imports",
        ),
    ],
)
def test_a_circle_of_imports_is_unknown(files: dict[str, str]) -> None:
    assert _inferred(files) == "(UNKNOWN,)"


def test_a_module_that_imports_itself_means_another() -> None:
    files = {"main.py": "from main import run\nrun\n"}
    assert _inferred(files) == "(Ref(name='main.run'),)"


def test_a_name_behind_a_circle_is_found() -> None:
    files = {
        "main.py": "from other import run\nrun\n",
        "other.py": "from main import *\nfrom last import run\n",
        "last.py": "import tensorflow as tf\nrun = tf.Session\n",
    }
    assert _inferred(files) == "(Ref(name='tf.Session'),)"


def test_a_question_that_has_no_end_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve functions that call each other are more ways than anybody can follow."""
    calls = " or ".join(f"f{number}(x)" for number in range(12))
    functions = "".join(f"def f{number}(x):\n    return {calls}\n" for number in range(12))
    resolver, module = _project({"main.py": f"{functions}f0(1).first\nf0(1).second\n"})
    followed = []
    call = HANDLERS[ast.Call]

    def counted(*arguments: object) -> object:
        followed.append(arguments)
        return call(*arguments)

    monkeypatch.setitem(HANDLERS, ast.Call, counted)
    resolver.infer(module, _expression(module, -2))
    ways = len(followed)
    resolver.infer(module, _expression(module, -1))
    assert len(followed) - ways < ways / 10
