"""Backward: which calls the value of an expression may come from."""

from __future__ import annotations

import ast
from typing import Union

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.flow import backward
from ascendify.source.flow.outside import Outside
from ascendify.source.inference.resolver import Resolver
from support.source_questions import in_question, parse, project

Files = Union[str, dict[str, str]]
_OUTSIDE = Outside(same=frozenset({"replace"}), copies=frozenset({"copy.copy"}))


def _origins(files: Files) -> str:
    """``make() | other() | None | ?``: the calls by their text, None, and what nobody knows."""
    whole = project(files)
    module = whole.module("main.py")
    assert module is not None, whole.errors
    resolver = Resolver(whole, CatalogKnowledge())
    found = backward.origins(resolver, module, in_question(module), _OUTSIDE)
    parts = [other.segment(call) for other, call in found.calls]
    return " | ".join([*parts, *["None"] * found.nothing, *["?"] * found.unknown])


_IMPORT = "from lib import make, other\n"
ORIGINS: dict[str, tuple[Files, str]] = {
    "a call": (_IMPORT + "ask(make(1))\n", "make(1)"),
    "a variable": (_IMPORT + "x = make()\nask(x)\n", "make()"),
    "the assignment that reaches": (_IMPORT + "x = other()\nx = make()\nask(x)\n", "make()"),
    "both branches": (
        _IMPORT + "if a:\n    x = make()\nelse:\n    x = other()\nask(x)\n",
        "make() | other()",
    ),
    "a choice": (_IMPORT + "ask(make() if a else other())\n", "make() | other()"),
    "None": (_IMPORT + "ask(make() if a else None)\n", "make() | None"),
    "or replaces None": (_IMPORT + "x = None\nask(x or make())\n", "make()"),
    "and keeps None": (_IMPORT + "x = None\nask(x and make())\n", "make() | None"),
    "a walrus": (_IMPORT + "if (x := make()):\n    ask(x)\n", "make()"),
    "a tuple that is unpacked": (_IMPORT + "x, y = make(), other()\nask(y)\n", "other()"),
    "a result that is unpacked": (
        _IMPORT + "def f():\n    return make(), other()\nx, y = f()\nask(x)\n",
        "make()",
    ),
    "a result": (_IMPORT + "def f():\n    return make()\nask(f())\n", "make()"),
    "no result": ("def f():\n    pass\nask(f())\n", "None"),
    "a generator": (_IMPORT + "def f():\n    yield make()\nask(f())\n", "?"),
    "a parameter": (
        _IMPORT + "def f(x):\n    ask(x)\nf(make())\nf(x=other())\n",
        "make() | other()",
    ),
    "a default": (_IMPORT + "def f(x=make()):\n    ask(x)\nf()\n", "make()"),
    "a hidden argument": (_IMPORT + "def f(x=make()):\n    ask(x)\nf(**a)\n", "?"),
    "nobody calls": ("def f(x):\n    ask(x)\n", "?"),
    "an attribute": (
        _IMPORT + "class A:\n    def __init__(self):\n        self.x = make()\nask(A().x)\n",
        "make()",
    ),
    "a property": (
        _IMPORT + "class A:\n    @property\n    def x(self):\n        return make()\nask(A().x)\n",
        "make()",
    ),
    "an inherited attribute": (
        _IMPORT + "class B:\n    x = make()\nclass A(B):\n    pass\nask(A().x)\n",
        "make()",
    ),
    "another file": (
        {"main.py": "from a import x\nask(x)\n", "a.py": _IMPORT + "x = make()\n"},
        "make()",
    ),
    "another file by its name": (
        {"main.py": "import a\nask(a.x)\n", "a.py": _IMPORT + "x = make()\n"},
        "make()",
    ),
    "a method that gives the same": (
        "import tensorflow as tf\nx = tf.estimator.RunConfig()\nask(x.replace(a=1))\n",
        "tf.estimator.RunConfig()",
    ),
    "a copy": (_IMPORT + "import copy\nask(copy.copy(make()))\n", "make()"),
    "a loop variable": ("for x in y:\n    ask(x)\n", "?"),
    "arithmetic": (_IMPORT + "ask(make() + 1)\n", "?"),
    "a cycle": (_IMPORT + "x = make()\nwhile a:\n    x = x if b else x\nask(x)\n", "make()"),
}


@pytest.mark.parametrize(("files", "expected"), ORIGINS.values(), ids=ORIGINS.keys())
def test_origins(files: Files, expected: str) -> None:
    assert _origins(files) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("x = 1\nask(x)\n", "1", id="one assignment"),
        pytest.param("x = 1\nx = 2\nask(x)\n", "2", id="the one that reaches"),
        pytest.param("x = 1\nif a:\n    x = 2\nask(x)\n", None, id="two"),
        pytest.param("x, y = 1, 2\nask(x)\n", None, id="unpacked"),
        pytest.param("def f(x):\n    ask(x)\n", None, id="a parameter"),
        pytest.param("ask(x)\n", None, id="nothing binds it"),
    ],
)
def test_only_value(text: str, expected: str | None) -> None:
    module = parse(text)
    name = in_question(module)
    assert isinstance(name, ast.Name)
    found = backward.only_value(name)
    assert (None if found is None else module.segment(found)) == expected
