"""Forward: the steps through containers, variables and functions, for a walk with all of them."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import ClassVar, Union

import pytest

from ascendify.catalog.knowledge import CatalogKnowledge
from ascendify.source.flow.forward import Forward, Path, Slot, Step, key_of
from ascendify.source.inference.resolver import Resolver
from ascendify.source.module import Module
from ascendify.source.scopes import parent
from support.source_questions import in_question, project

Files = Union[str, dict[str, str]]


class _Sinks(Forward):
    """Keeps the calls of ``take`` that the value reaches, as it reaches them."""

    def __init__(self, resolver: Resolver) -> None:
        super().__init__(resolver)
        self.found: list[str] = []

    def lost(self, module: Module, node: ast.AST) -> None:
        self.found.append("!" + module.segment(node))

    def argument(
        self, module: Module, call: ast.Call, node: ast.expr, slot: Slot, path: Path
    ) -> None:
        values = self.resolver.infer(module, call.func)
        entered = [item for value in values if (item := self.entered(module, call, value))]
        if not any(self.enter(*item, slot, path) for item in entered):
            self.found.append(f"{module.segment(call)}{''.join(f' {key}' for key in path)}")

    def entry(self, module: Module, target: ast.Subscript, path: Path) -> None:
        assert isinstance(target.value, ast.Name)
        key = key_of(target.slice) or "?"
        scope = module.index.module
        self.variable(module, scope, target.value.id, None, (key, *path))

    steps: ClassVar[Mapping[str, Step]] = {
        **dict.fromkeys(("IfExp", "BoolOp", "Starred", "NamedExpr"), Forward.on_whole),
        **dict.fromkeys(("Assign", "AnnAssign", "AugAssign"), Forward.on_assignment),
        **dict.fromkeys(("List", "Tuple", "Set"), Forward.on_item),
        **dict.fromkeys(("ListComp", "SetComp", "GeneratorExp"), Forward.on_comprehension),
        **dict.fromkeys(("For", "comprehension"), Forward.on_loop),
        "Compare": Forward.on_read,
        "Dict": Forward.on_dictionary,
        "Subscript": Forward.on_subscript,
        "keyword": Forward.on_keyword,
        "Call": Forward.on_call,
        "Return": Forward.on_return,
        "arguments": Forward.on_default,
    }


def _sinks(files: Files) -> str:
    whole = project(files)
    module = whole.module("main.py")
    assert module is not None, whole.errors
    walk = _Sinks(Resolver(whole, CatalogKnowledge()))
    made = parent(in_question(module))
    assert isinstance(made, ast.expr)
    walk.follow(module, made)
    return " | ".join(walk.found)


_IMPORT = "from lib import ask, take\n"
SINKS: dict[str, tuple[str, str]] = {
    "an item of a list": ("x = [1, ask(1)]\ntake(x[0])\n", "take(x[0])"),
    "the list itself": ("x = [1, ask(1)]\ntake(x)\n", "take(x) []"),
    "a slice": ("x = [1, ask(1)]\ntake(x[1:])\n", "take(x[1:]) []"),
    "a loop": ("for x in [ask(1)]:\n    take(x)\n", "take(x)"),
    "a loop over a variable": ("y = [ask(1)]\nfor x in y:\n    take(x)\n", "take(x)"),
    "a comprehension": ("y = [x for x in [ask(1)]]\ntake(y)\n", "take(y) []"),
    "a dictionary": ("x = {'a': ask(1), 'b': 2}\ntake(x['a'])\ntake(x['b'])\n", "take(x['a'])"),
    "a key nobody can see": ("x = {'a': ask(1)}\ntake(x[k])\n", "take(x[k])"),
    "an entry that is set": ("x = {}\nx['a'] = ask(1)\ntake(x['a'])\n", "take(x['a'])"),
    "a dictionary in another": ("x = {'a': ask(1)}\ny = {**x}\ntake(y['a'])\n", "take(y['a'])"),
    "nested": ("x = {'a': [ask(1)]}\ntake(x['a'][0])\n", "take(x['a'][0])"),
    "options": ("def f(a):\n    take(a)\nf(**{'a': ask(1)})\n", "take(a)"),
    "collected by name": ("def f(**o):\n    take(o['a'])\nf(a=ask(1))\n", "take(o['a'])"),
    "collected by place": ("def f(*o):\n    take(o[0])\nf(1, ask(1))\n", "take(o[0])"),
    "behind a starred argument": ("take(*a, ask(1))\n", "take(*a, ask(1))"),
    "an argument of a constructor": (
        "class A:\n    def __init__(self, a):\n        take(a)\nA(ask(1))\n",
        "take(a)",
    ),
    "an argument of an inherited constructor": (
        "class B:\n    def __init__(self, a):\n        take(a)\nclass A(B):\n    pass\nA(ask(1))\n",
        "take(a)",
    ),
    "an object that is called": (
        "class A:\n    def __call__(self, a):\n        take(a)\nA()(ask(1))\n",
        "take(a)",
    ),
    "a class method": (
        "class A:\n    @classmethod\n    def f(cls, a):\n        take(a)\nA.f(ask(1))\n",
        "take(a)",
    ),
    "a static method": (
        "class A:\n    @staticmethod\n    def f(a):\n        take(a)\nA.f(ask(1))\n",
        "take(a)",
    ),
    "a recursive function": (
        "def f(a):\n    take(a)\n    f(a)\nf(ask(1))\n",
        "take(a)",
    ),
    "an augmented assignment": ("x = 1\nx += ask(1)\ntake(x)\n", "take(x)"),
    "compared": ("x = ask(1)\nx == 1\n", ""),
    "a step it does not take": ("with ask(1):\n    pass\n", "!ask(1)"),
}


@pytest.mark.parametrize(("text", "expected"), SINKS.values(), ids=SINKS.keys())
def test_sinks(text: str, expected: str) -> None:
    assert _sinks(_IMPORT + text) == expected


def test_a_walk_ends_after_so_many_places() -> None:
    class Short(_Sinks):
        limit = 3

    module = project(_IMPORT + "x = ask(1)\n" + "take(x)\n" * 10).module("main.py")
    assert module is not None
    walk = Short(Resolver(project(""), CatalogKnowledge()))
    made = parent(in_question(module))
    assert isinstance(made, ast.expr)
    walk.follow(module, made)
    assert 0 < len(walk.found) < 10
