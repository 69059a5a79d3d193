"""Fate: what one use of a variable does with the object it holds."""

from __future__ import annotations

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.flow.fate import Fate, Handling, fate
from ascendify.source.flow.forward import reads_of
from ascendify.source.inference.resolver import Resolver
from support.source_questions import project

_HANDLING = Handling(
    closing=frozenset({"close"}),
    looking=frozenset({"name"}),
    borrowing=frozenset({"read"}),
    entered=frozenset({"opened"}),
    closers=frozenset({"contextlib.closing"}),
    owners=frozenset({"lib.keep"}),
    is_brief=lambda name: name in ("builtins.print", "lib.look"),
)


def _fates(text: str) -> str:
    """The fates of the reads of ``x``, a variable of the module."""
    module = project("from lib import *\nimport contextlib, lib\nx = lib.make()\n" + text).module(
        "main.py"
    )
    assert module is not None
    resolver = Resolver(project(""), CatalogKnowledge())
    scope = module.index.module
    found = [fate(resolver, module, use, scope, _HANDLING) for use in reads_of(scope, "x")]
    return " ".join(item.value for item in found)


FATES = {
    "a method that uses it": ("x.read()\n", "borrowed"),
    "an attribute": ("y = x.name\n", "borrowed"),
    "a method that is handed on": ("y = x.read\n", "kept"),
    "another method": ("x.start()\n", "kept"),
    "closed": ("x.read()\nx.close()\n", "borrowed closed"),
    "with": ("with x:\n    pass\n", "closed"),
    "entered": ("with x.opened():\n    pass\n", "borrowed"),
    "entered by hand": ("y = x.opened()\n", "kept"),
    "a function that closes": ("contextlib.closing(x)\n", "closed"),
    "a function that owns": ("lib.keep(x)\n", "owned"),
    "a function that looks": ("print(x)\nlib.look(a=x)\n", "borrowed borrowed"),
    "a function nobody knows": ("lib.other(x)\n", "kept"),
    "compared": ("if x == 1:\n    pass\n", "borrowed"),
    "another name": ("y = x\n", "kept"),
    "in a list": ("y = [x]\n", "kept"),
    "in a function of its own": ("def f():\n    x.read()\n", "kept"),
    "returned": ("def f():\n    return x\n", "returned"),
    "returned in a tuple": ("def f():\n    return 1, x\n", "returned"),
    "in a comprehension": ("y = [x.read() for _ in z]\n", "borrowed"),
    "into a function that uses it": ("def f(a):\n    a.read()\nf(x)\n", "borrowed"),
    "into a function that closes it": ("def f(a, b):\n    b.close()\nf(1, b=x)\n", "closed"),
    "into a function that keeps it": ("def f(a):\n    y.a = a\nf(x)\n", "kept"),
    "into a method": (
        "class A:\n    def f(self, a):\n        a.read()\nA().f(x)\n",
        "borrowed",
    ),
    "into a generator": ("def f(a):\n    yield a.read()\nf(x)\n", "kept"),
    "through two functions": (
        "def g(a):\n    a.close()\ndef f(a):\n    g(a)\nf(x)\n",
        "closed",
    ),
}


@pytest.mark.parametrize(("text", "expected"), FATES.values(), ids=FATES.keys())
def test_fates(text: str, expected: str) -> None:
    assert _fates(text) == expected


def test_every_fate_is_met() -> None:
    met = {word for _, expected in FATES.values() for word in expected.split()}
    assert met == {item.value for item in Fate}
