"""Inference ends where modules import names from each other or from themselves."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.project import Project


def _inferred(files: dict[str, str]) -> str:
    """What the last expression of main.py is."""
    project = Project(Path(), list(files), files)
    module = project.module("main.py")
    assert isinstance(module, Module)
    assert module.index
    last = module.tree.body[-1]
    assert isinstance(last, ast.Expr)
    return repr(Resolver(project, CatalogKnowledge()).infer(module, last.value))


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
