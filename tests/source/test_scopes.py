"""Who binds which name, and which binding a use sees."""

from __future__ import annotations

import ast
import sys

import pytest

from ascendify.source.scopes import Scope, ancestors, parent, scope_of, statement
from support.source_questions import parse

BINDINGS: dict[str, tuple[str, dict[str, list[str]]]] = {
    "import": ("import a.b, c as d\n", {"a": ["import a"], "d": ["import c"]}),
    "from import": ("from a import b as c, d\n", {"c": ["import a.b"], "d": ["import a.d"]}),
    "relative import": (
        "from . import a\nfrom ..b import c\n",
        {"a": ["import .a"], "c": ["import ..b.c"]},
    ),
    "star import": ("from a import *\n", {}),
    "assignment": ("a = b = 1\n", {"a": ["assign"], "b": ["assign"]}),
    "unpacking": (
        "a, (b, [c]) = x\n",
        {"a": ["assign 0"], "b": ["assign 1 0"], "c": ["assign 1 1 0"]},
    ),
    "starred unpacking": (
        "a, *b, c = x\n",
        {"a": ["assign 0"], "b": ["opaque"], "c": ["opaque 2"]},
    ),
    "annotation with a value": ("a: int = 1\nb: int\n", {"a": ["assign"]}),
    "augmented": ("a = 1\na += 1\n", {"a": ["assign", "opaque"]}),
    "for": ("for a, b in x: pass\n", {"a": ["iter 0"], "b": ["iter 1"]}),
    "with": ("with x as a, y as (b, c): pass\n", {"a": ["with"], "b": ["with 0"], "c": ["with 1"]}),
    "except": ("try: pass\nexcept E as e: pass\n", {"e": ["opaque"]}),
    "walrus": ("print(a := 1)\n", {"a": ["assign"]}),
    "walrus in a comprehension": ("[a := i for i in x]\n", {"a": ["assign"]}),
    "definitions": ("def f(): pass\nclass C: pass\n", {"f": ["def"], "C": ["class"]}),
    "deletion": ("del a\n", {"a": ["opaque"]}),
    "global in a function": (
        "def f():\n    global a\n    a = 1\n",
        {"f": ["def"], "a": ["assign"]},
    ),
    "comprehension variables stay inside": ("[i for i in x]\n", {}),
    "attributes bind nothing": ("a.b = 1\nfor a.c in x: pass\n", {}),
}


@pytest.mark.parametrize(("text", "expected"), BINDINGS.values(), ids=BINDINGS)
def test_bindings(text: str, expected: dict[str, list[str]]) -> None:
    scope = parse(text).index.module
    found = {
        name: [
            " ".join([item.kind, *filter(None, [item.origin]), *map(str, item.path)])
            for item in bindings
        ]
        for name, bindings in scope.bindings.items()
    }
    assert found == expected


@pytest.mark.skipif(sys.version_info < (3, 10), reason="match statements came with 3.10")
def test_patterns_bind() -> None:
    text = (
        "match x:\n    case [a, *b]: pass\n    case {'k': c, **d}: pass\n    case C() as e: pass\n"
    )
    assert sorted(parse(text).index.module.bindings) == ["a", "b", "c", "d", "e"]


def _seen(text: str) -> str:
    """The kind of scope whose binding the name ``x`` inside ``ask(x)`` sees."""
    module = parse(text)
    (call,) = module.index.calls_by_name["ask"]
    name = call.args[0]
    assert isinstance(name, ast.Name)
    found = scope_of(name).find(name.id)
    return "none" if found is None else found.kind


SEEN = {
    "module": ("x = 1\nask(x)\n", "module"),
    "nothing": ("ask(x)\n", "none"),
    "function before module": ("x = 1\ndef f():\n    x = 2\n    ask(x)\n", "function"),
    "parameter": ("x = 1\ndef f(x): ask(x)\n", "function"),
    "collecting parameters": ("x = 1\ndef f(*x): ask(x)\n", "function"),
    "closure": ("def f():\n    x = 1\n    def g(): ask(x)\n", "function"),
    "global passes the function by": (
        "x = 1\ndef f():\n    x = 2\n    def g():\n        global x\n        ask(x)\n",
        "module",
    ),
    "global that nobody binds": ("def f():\n    global x\n    ask(x)\n", "none"),
    "nonlocal": (
        "x = 1\ndef f():\n    x = 2\n    def g():\n        nonlocal x\n        x = 3\n"
        "        ask(x)\n",
        "function",
    ),
    "class body sees itself": ("x = 1\nclass C:\n    x = 2\n    ask(x)\n", "class"),
    "methods pass the class by": (
        "x = 1\nclass C:\n    x = 2\n    def f(self): ask(x)\n",
        "module",
    ),
    "comprehension": ("x = 1\n[ask(x) for x in y]\n", "comprehension"),
    "first iterable is evaluated outside": ("x = 1\n[x for x in ask(x)]\n", "module"),
    "second iterable is evaluated inside": (
        "x = 1\n[1 for x in y for z in ask(x)]\n",
        "comprehension",
    ),
    "comprehension in a class passes the class by": (
        "x = 1\nclass C:\n    x = 2\n    y = [ask(x) for _ in z]\n",
        "module",
    ),
    "its first iterable does not": ("class C:\n    x = 2\n    y = [1 for _ in ask(x)]\n", "class"),
    "default is evaluated outside": ("x = 1\ndef f(x=ask(x)): pass\n", "module"),
    "decorator is evaluated outside": ("x = 1\n@ask(x)\ndef f(x): pass\n", "module"),
    "annotation is evaluated outside": ("x = 1\ndef f(x: ask(x)): pass\n", "module"),
    "lambda": ("x = 1\nlambda x: ask(x)\n", "function"),
}


@pytest.mark.parametrize(("text", "expected"), SEEN.values(), ids=SEEN)
def test_which_scope_a_use_sees(text: str, expected: str) -> None:
    assert _seen(text) == expected


ATTRIBUTES: dict[str, tuple[str, dict[str, list[str]]]] = {
    "assigned": ("    def f(self): self.a = 1\n", {"a": ["assign"]}),
    "unpacked": ("    def f(self): self.a, self.b = x\n", {"a": ["assign"], "b": ["assign"]}),
    "starred": ("    def f(self): b, *self.a = x\n", {"a": ["opaque"]}),
    "augmented": ("    def f(self): self.a += 1\n", {"a": ["opaque"]}),
    "with": ("    def f(self):\n        with x as self.a: pass\n", {"a": ["with"]}),
    "for": ("    def f(self):\n        for self.a in x: pass\n", {"a": ["iter"]}),
    "in a nested function": (
        "    def f(self):\n        def g(): self.a = 1\n",
        {"a": ["assign"]},
    ),
    "on the class": ("    @classmethod\n    def f(cls): cls.a = 1\n", {"a": ["assign"]}),
    "of another object": ("    def f(self, other): other.a = 1\n", {}),
    "of an attribute": ("    def f(self): self.a.b = 1\n", {}),
    "of another object, in a class inside": (
        "    class D:\n        def f(self): other.a = 1\n",
        {},
    ),
}


@pytest.mark.parametrize(("body", "expected"), ATTRIBUTES.values(), ids=ATTRIBUTES)
def test_attributes_of_self(body: str, expected: dict[str, list[str]]) -> None:
    module = parse("class C:\n" + body)
    scope = scope_of(module.index.classes[0])
    found = {name: [item.kind for item in items] for name, items in scope.attributes.items()}
    assert found == expected


def test_returns_and_generators() -> None:
    text = "def f():\n    def g():\n        yield 1\n    if x:\n        return a\n    return\n"
    functions = {
        node.name: scope_of(node)
        for node in parse(text).index.functions
        if isinstance(node, ast.FunctionDef)
    }
    assert [ast.unparse(item) for item in functions["f"].returns] == ["a"]
    assert not functions["f"].generator
    assert functions["g"].generator


def test_references_are_whole_chains_that_are_read() -> None:
    text = "a.b.c(d)[e] = f.g\ndel h.i\nj.k += l\n"
    index = parse(text).index
    assert sorted(ast.unparse(item) for item in index.references) == ["a.b.c", "d", "e", "f.g", "l"]
    assert sorted(ast.unparse(item) for item in index.stores) == ["h.i", "j.k"]


def test_calls_by_their_last_name() -> None:
    index = parse("a.b.run(c)\nrun()\nx[0]()\n(lambda: 1)()\n").index
    assert [ast.unparse(call) for call in index.calls_by_name["run"]] == ["a.b.run(c)", "run()"]
    assert len(index.calls) == 4


def test_calls_within_a_node_are_those_of_a_walk() -> None:
    text = """
@wrap(first())
def f(x, y=default()):
    return g(h(x).i()) + [k() for k in x]
class C(base()):
    def m(self): return super().m(lambda: n())
after(f)
"""
    module = parse(text)
    for node in (module.tree, *module.tree.body, module.tree.body[1].body[0]):  # type: ignore[attr-defined]  # a class
        walked = {item for item in ast.walk(node) if isinstance(item, ast.Call)}
        found = module.index.calls_within(node)
        assert set(found) == walked
        assert [call.lineno for call in found] == sorted(call.lineno for call in found)


def test_every_alias_knows_its_statement() -> None:
    module = parse("import a, b\nfrom c import d\n")
    for node in module.index.imports:
        for alias in node.names:
            assert statement(alias) is node
            assert list(ancestors(alias)) == [node, module.tree]


def test_every_expression_leads_to_a_scope_and_the_module() -> None:
    module = parse(
        "@d\nclass C(B, metaclass=M):\n    x: int = 1\n"
        "    async def f(self, a=1, *b, c: int = 2, **e) -> T:\n"
        "        async with g as h: await i\n        return [*j, {**k}, f'{l!r:>{m}}', o[1:2]]\n"
        "lambda p=q: r\nassert s, t\n"
    )
    for node in ast.walk(module.tree):
        if isinstance(node, ast.expr):
            assert isinstance(scope_of(node), Scope)
            assert [*ancestors(node)][-1] is module.tree
            assert parent(node) is not node
