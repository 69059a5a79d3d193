"""Repetition: whether a program can reach a place more than once."""

from __future__ import annotations

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.flow.repetition import runs_once
from ascendify.source.inference.resolver import Resolver
from support.source_questions import project

CASES = {
    "a statement of the script": ("mark()\n", True),
    "a branch": ("if x:\n    mark()\n", True),
    "a loop": ("for x in y:\n    mark()\n", False),
    "a comprehension": ("z = [mark() for x in y]\n", False),
    "a function that is called once": ("def f():\n    mark()\nf()\n", True),
    "a function that is called twice": ("def f():\n    mark()\nf()\nf()\n", False),
    "a function that is called in a loop": ("def f():\n    mark()\nwhile x:\n    f()\n", False),
    "a function that nobody calls": ("def f():\n    mark()\n", False),
    "a function that is handed on": ("def f():\n    mark()\nf()\nkeep(f)\n", False),
    "a default of a function": ("def f(x=mark()):\n    pass\nf()\nf()\n", True),
    "a decorated function": ("@again\ndef f():\n    mark()\nf()\n", False),
    "a function that calls itself": ("def f():\n    mark()\n    f()\n", False),
    "a lambda": ("f = lambda: mark()\nf()\n", False),
    "an object that is made once": (
        "class C:\n    def __init__(self):\n        mark()\nC()\n",
        True,
    ),
    "objects in a list": (
        "class C:\n    def __init__(self):\n        mark()\nz = [C() for x in y]\n",
        False,
    ),
    "a main function for a runner": ("def main(_):\n    mark()\nlib.run()\n", True),
    "a function for a runner": ("def go(_):\n    mark()\nlib.run(main=go)\n", True),
    "two runners": ("def go(_):\n    mark()\nlib.run(go)\nlib.run(go)\n", False),
}


@pytest.mark.parametrize(("text", "expected"), CASES.values(), ids=CASES.keys())
def test_runs_once(text: str, expected: bool) -> None:
    sources = project("import lib\nfrom other import again, keep, mark, x, y\n" + text)
    module = sources.module("main.py")
    assert module is not None
    (call,) = module.index.calls_by_name["mark"]
    resolver = Resolver(sources, CatalogKnowledge())
    assert runs_once(resolver, module, call, ("lib.run",)) is expected
