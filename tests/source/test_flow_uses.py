"""Forward: every call a value is passed to, and where it gets out of sight."""

from __future__ import annotations

from typing import Union

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.flow.outside import Outside
from ascendify.source.flow.uses import uses
from ascendify.source.inference.resolver import Resolver
from ascendify.source.scopes import parent
from support.source_questions import in_question, project

Files = Union[str, dict[str, str]]
_OUTSIDE = Outside(
    same=frozenset({"replace"}), copies=frozenset({"copy.copy"}), looks=("builtins.print", "log.")
)


def _uses(files: Files) -> str:
    """``take(x) | .attr | !escape`` for what becomes of ``ask(...)`` in ``main.py``."""
    whole = project(files)
    module = whole.module("main.py")
    assert module is not None, whole.errors
    made = parent(in_question(module))
    resolver = Resolver(whole, CatalogKnowledge())
    found = uses(resolver, module, made, _OUTSIDE)  # type: ignore[arg-type]  # the call of ask
    parts = [use.module.segment(use.call) for use in found.calls]
    parts += [f".{attribute.attr}" for _, attribute in found.attributes]
    if found.escapes is not None:
        other, node = found.escapes
        parts.append("!" + other.segment(node).split("\n")[0])
    return " | ".join(parts)


_IMPORT = "from lib import ask, take, make\nimport log, copy\n"
USES: dict[str, tuple[Files, str]] = {
    "an argument": ("take(ask(1))\n", "take(ask(1))"),
    "by name": ("take(a=ask(1))\n", "take(a=ask(1))"),
    "through a variable": ("x = ask(1)\ntake(x)\n", "take(x)"),
    "not after another assignment": ("x = ask(1)\nx = 2\ntake(x)\n", ""),
    "a walrus": ("if (x := ask(1)):\n    take(x)\n", "take(x)"),
    "a choice": ("take(ask(1) if a else None)\n", "take(ask(1) if a else None)"),
    "a test": ("take(1 if ask(1) else 2)\n", ""),
    "compared": ("x = ask(1)\nif x == 2:\n    pass\n", ""),
    "an attribute of it": ("x = ask(1)\nx.run()\n", ".run"),
    "the same object": ("x = ask(1)\ntake(x.replace(a=1))\n", "take(x.replace(a=1))"),
    "a copy": ("take(copy.copy(ask(1)))\n", "take(copy.copy(ask(1)))"),
    "only looked at": ("x = ask(1)\nprint(x)\nlog.info(x)\n", ""),
    "called": ("x = ask(1)\nx(2)\n", ""),
    "unpacked": ("x, y = ask(1), 2\ntake(x)\ntake(y)\n", "take(x)"),
    "a result": ("def f():\n    return ask(1)\ntake(f())\n", "take(f())"),
    "a result that is unpacked": (
        "def f():\n    return 2, ask(1)\nx, y = f()\ntake(x)\ntake(y)\n",
        "take(y)",
    ),
    "nobody calls the function": ("def f():\n    return ask(1)\n", "!def f():"),
    "the function is handed on": (
        "def f():\n    return ask(1)\nf()\nx = [f]\n",
        "!f",
    ),
    "into a function": ("def f(a, b):\n    take(b)\nf(1, ask(1))\n", "take(b)"),
    "into a function by name": ("def f(a, b):\n    take(b)\nf(b=ask(1), a=1)\n", "take(b)"),
    "a parameter that gets another value": (
        "def f(a):\n    a = 2\n    take(a)\nf(ask(1))\n",
        "",
    ),
    "into a method": (
        "class A:\n    def f(self, a):\n        take(a)\nA().f(ask(1))\n",
        "take(a)",
    ),
    "into a method through its class": (
        "class A:\n    def f(self, a):\n        take(a)\nA.f(A(), ask(1))\n",
        "take(a)",
    ),
    "into a constructor and an attribute": (
        "class A:\n    def __init__(self, a):\n        self.a = a\n"
        "    def g(self):\n        take(self.a)\nA(ask(1))\n",
        "take(self.a)",
    ),
    "a class without a constructor": (
        "class A(make):\n    pass\nA(ask(1))\n",
        "A(ask(1))",
    ),
    "a default": ("def f(a=ask(1)):\n    take(a)\n", "take(a)"),
    "a property": (
        "class A:\n    @property\n    def a(self):\n        return ask(1)\ntake(A().a)\n",
        "take(A().a)",
    ),
    "a global in another file": (
        {"main.py": _IMPORT + "x = ask(1)\n", "b.py": "from lib import take\nfrom main import x\n"
         "take(x)\n"},
        "take(x)",
    ),
    "a global by the name of its file": (
        {"main.py": _IMPORT + "x = ask(1)\n", "b.py": "from lib import take\nimport main\n"
         "take(main.x)\n"},
        "take(main.x)",
    ),
    "a global that a package passes on": (
        {"p/a.py": "", "main.py": _IMPORT + "x = ask(1)\n", "p/__init__.py": "from main import x\n",
         "b.py": "from lib import take\nfrom p import x\ntake(x)\n"},
        "take(x)",
    ),
    "an import inside a function": (
        {"main.py": _IMPORT + "x = ask(1)\n", "b.py": "from lib import take\ndef f():\n"
         "    from main import x\n    take(x)\n"},
        "take(x)",
    ),
    "a list": ("x = [ask(1)]\n", "!x"),
    "an entry": ("d = {}\nd['a'] = ask(1)\n", "!d['a']"),
    "options": ("take(**ask(1))\n", "!ask(1)"),
    "an attribute of something": ("make().a = ask(1)\n", "!make().a"),
    "a variable of a class": ("class A:\n    x = ask(1)\n", "!x"),
    "what the function does not take": ("def f():\n    pass\nf(ask(1))\n", "!ask(1)"),
    "raised": ("raise ask(1)\n", "!ask(1)"),
}  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), USES.values(), ids=USES.keys())
def test_uses(files: Files, expected: str) -> None:
    whole = _IMPORT + files if isinstance(files, str) else files
    assert _uses(whole) == expected
