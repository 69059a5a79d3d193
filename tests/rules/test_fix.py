"""Every builder of a fix, on code that is awkward to edit."""

from __future__ import annotations

import ast
from collections import Counter
from typing import Callable

import pytest

from ascendify.catalog.signatures import signature
from ascendify.findings import Finding, Span, Status
from ascendify.migrate.fixing import Fixed, fix_python
from ascendify.rules.arguments import Arguments
from ascendify.rules.fix import Fix
from ascendify.rules.rule import Diagnosis
from ascendify.source.module import Module
from ascendify.source.text import SourceText
from support.rule_cases import comments

Build = Callable[[Fix], None]


def _module(text: str) -> Module:
    module = Module.parse_text("main.py", SourceText(text))
    assert module.index
    return module


def _fixed(text: str, *builds: Build) -> Fixed:
    module = _module(text)
    diagnoses = []
    for number, build in enumerate(builds):
        fix = Fix(module)
        build(fix)
        finding = Finding(f"X-{number}", Status.AUTO, "main.py", Span(), "found", "done")
        diagnoses.append(Diagnosis(finding, fix))
    return fix_python(module, diagnoses)


def _text(text: str, build: Build) -> str:
    """The text after a fix that must succeed and keep every comment."""
    fixed = _fixed(text, build)
    assert fixed.broken == fixed.deferred == []
    ast.parse(fixed.text)
    assert comments(text) - comments(fixed.text) == Counter()
    return fixed.text


def _call(fix: Fix, name: str = "f") -> ast.Call:
    return min(
        fix.module.index.calls_by_name[name], key=lambda call: (call.lineno, call.col_offset)
    )


def _statement(fix: Fix, name: str) -> ast.AST:
    """The call of a name, which stands for its statement."""
    return _call(fix, name)


WRAPPED = {
    "positional": ("f(x)\n", "f(w(x))\n"),
    "keyword": ("f(a=x)\n", "f(a=w(x))\n"),
    "parentheses": ("f((x))\n", "f(w((x)))\n"),
    "parentheses twice": ("f(( (x) ), y)\n", "f(w(( (x) )), y)\n"),
    "keyword in parentheses": ("f(a=(x), b=1)\n", "f(a=w((x)), b=1)\n"),
    "keyword in parentheses, last": ("f(a=(x))\n", "f(a=w((x)))\n"),
    "a space before the call": ("f (x)\n", "f (w(x))\n"),
    "a function in parentheses": ("(f)(x)\n", "(f)(w(x))\n"),
    "an operation": ("f(a=x + 1)\n", "f(a=w(x + 1))\n"),
    "a tuple": ("f((x, y))\n", "f(w((x, y)))\n"),
    "over several lines": ("f(a=(\n    x\n    or y\n))\n", "f(a=w((\n    x\n    or y\n)))\n"),
    "a remark inside": ("f((  # why\n    x\n))\n", "f((  # why\n    w(x)\n))\n"),
    "a trailing comma": ("f(x,)\n", "f(w(x),)\n"),
}


@pytest.mark.parametrize(("before", "after"), WRAPPED.values(), ids=WRAPPED)
def test_wrap_an_argument(before: str, after: str) -> None:
    def build(fix: Fix) -> None:
        call = fix.module.index.calls[0]
        value = call.args[0] if call.args else call.keywords[0].value
        fix.wrap(value, "w(")

    assert _text(before, build) == after


GLUED = {
    "return": ("def f():\n    return(x)\n", "def f():\n    return w((x))\n"),
    "if": ("if(x): pass\n", "if w((x)): pass\n"),
    "not": ("y = not(x)\n", "y = not w((x))\n"),
    "in": ("y = a in(x)\n", "y = a in w((x))\n"),
    "assignment": ("y =(x)\n", "y =w((x))\n"),
    "lambda": ("y = lambda:(x)\n", "y = lambda:w((x))\n"),
    "else": ("y = a if b else(x)\n", "y = a if b else w((x))\n"),
}


@pytest.mark.parametrize(("before", "after"), GLUED.values(), ids=GLUED)
def test_words_are_kept_apart(before: str, after: str) -> None:
    def build(fix: Fix) -> None:
        (name,) = [n for n in fix.module.index.references if getattr(n, "id", "") == "x"]
        fix.wrap(name, "w(")

    assert _text(before, build) == after


def test_a_replacement_is_kept_apart_from_its_neighbours() -> None:
    def build(fix: Fix) -> None:
        (node,) = [n for n in ast.walk(fix.module.tree) if isinstance(n, ast.Constant)]
        fix.replace(node, "value")

    assert _text("y = a if'x'in b else c\n", build) == "y = a if value in b else c\n"


def test_a_base_class_is_wrapped_inside_the_parentheses_of_the_class() -> None:
    def build(fix: Fix) -> None:
        fix.wrap(fix.module.index.classes[0].bases[0], "w(")

    assert _text("class A(B):\n    pass\n", build) == "class A(w(B)):\n    pass\n"


def test_wraps_nest_by_level() -> None:
    def inner(fix: Fix) -> None:
        fix.wrap(_call(fix).args[0], "inner(")

    def outer(fix: Fix) -> None:
        fix.wrap(_call(fix).args[0], "outer(", level=1)

    for order in ((inner, outer), (outer, inner)):
        assert _fixed("f(x)\n", *order).text == "f(outer(inner(x)))\n"


ADDED = {
    "no arguments": ("f()\n", "f(n=1)\n"),
    "no arguments and a remark": ("f(  # none\n)\n", "f(  # none\nn=1)\n"),
    "one": ("f(x)\n", "f(x, n=1)\n"),
    "keyword": ("f(a=x)\n", "f(a=x, n=1)\n"),
    "trailing comma": ("f(x,)\n", "f(x, n=1,)\n"),
    "several lines": ("f(\n    x,\n    a=y,\n)\n", "f(\n    x,\n    a=y, n=1,\n)\n"),
    "a remark behind the last": ("f(\n    x  # why\n)\n", "f(\n    x, n=1  # why\n)\n"),
    "the last in parentheses": ("f(a=(x))\n", "f(a=(x), n=1)\n"),
    "a call as the last": ("f(g(x))\n", "f(g(x), n=1)\n"),
    "a bare generator": ("f(x for x in y)\n", "f((x for x in y), n=1)\n"),
    "a generator in parentheses": ("f((x for x in y))\n", "f((x for x in y), n=1)\n"),
    "a generator over lines": (
        "f(x\n  for x in y  # all\n)\n",
        "f((x\n  for x in y  # all\n), n=1)\n",
    ),
    "*args": ("f(*a)\n", "f(*a, n=1)\n"),
    "**kwargs": ("f(x, **k)\n", "f(x, n=1, **k)\n"),
    "**kwargs alone": ("f(**k)\n", "f(n=1, **k)\n"),
    "**kwargs of an expression": ("f(**(a ** b))\n", "f(n=1, **(a ** b))\n"),
    "keywords behind **kwargs": ("f(**k, a=1)\n", "f(n=1, **k, a=1)\n"),
    "a decorator": ("@f(x)\ndef g(): pass\n", "@f(x, n=1)\ndef g(): pass\n"),
    "a lambda as the last": ("f(lambda: x)\n", "f(lambda: x, n=1)\n"),
    "a space before the call": ("f ()\n", "f (n=1)\n"),
    "not only ASCII": ("f('\u4e2d\u6587', '\u00e9')\n", "f('\u4e2d\u6587', '\u00e9', n=1)\n"),
}


@pytest.mark.parametrize(("before", "after"), ADDED.values(), ids=ADDED)
def test_add_an_argument(before: str, after: str) -> None:
    assert _text(before, lambda fix: fix.add_argument(_call(fix), "n=1")) == after


REMOVED = {
    "the only one": ("f(a=1)\n", "f()\n"),
    "the only one, on its own line": ("f(\n    a=1)\n", "f()\n"),
    "the only one, between lines": ("f(\n    a=1\n)\n", "f()\n"),
    "the only one, below a remark": ("f(  # why\n    a=1\n)\n", "f(  # why\n    \n)\n"),
    "the only one, trailing comma": ("f(a=1,)\n", "f()\n"),
    "the first": ("f(a=1, b=2)\n", "f(b=2)\n"),
    "the last": ("f(b=2, a=1)\n", "f(b=2)\n"),
    "the last, trailing comma": ("f(b=2, a=1,)\n", "f(b=2, )\n"),
    "in the middle": ("f(x, a=1, b=2)\n", "f(x, b=2)\n"),
    "in parentheses": ("f(a=(1), b=2)\n", "f(b=2)\n"),
    "on its own line": ("f(\n    x,\n    a=1,\n    b=2,\n)\n", "f(\n    x,\n    b=2,\n)\n"),
    "the last, on its own line": ("f(\n    x,\n    a=1\n)\n", "f(\n    x\n)\n"),
    "with a remark": (
        "f(\n    x,\n    a=1,  # why\n    b=2)\n",
        "f(\n    x,\n    # why\n    b=2)\n",
    ),
    "a remark before the comma": ("f(a=1  # why\n  , b=2)\n", "# why\nf(b=2)\n"),
    "a remark inside": (
        "f(x, a=(1 +  # one\n        2), b=2)\n",
        "# one\nf(x, b=2)\n",
    ),
    "a remark above": ("f(x,  # about x\n  a=1)\n", "f(x,  # about x\n  )\n"),
    "before **kwargs": ("f(a=1, **k)\n", "f(**k)\n"),
}


@pytest.mark.parametrize(("before", "after"), REMOVED.values(), ids=REMOVED)
def test_remove_an_argument(before: str, after: str) -> None:
    def build(fix: Fix) -> None:
        call = _call(fix)
        argument = Arguments.bind(call, None).get("a")
        assert argument is not None
        fix.remove_argument(call, argument)

    assert _text(before, build) == after


def test_remove_a_positional_argument() -> None:
    def build(fix: Fix) -> None:
        call = fix.module.index.calls[0]
        argument = Arguments.bind(call, signature("tf.Session")).get("target")
        assert argument is not None
        fix.remove_argument(call, argument)

    assert _text("Session((t), g)\n", build) == "Session(g)\n"


REMOVED_TOGETHER = {
    "neighbours": ("f(x, a=1, b=2, y=3)\n", "f(x, y=3)\n"),
    "apart": ("f(a=1, x=2, b=3)\n", "f(x=2)\n"),
    "all": ("f(a=1, b=2)\n", "f()\n"),
    "the last two": ("f(x, a=1, b=2)\n", "f(x)\n"),
    "with remarks": ("f(x,  # x\n  a=1,  # a\n  b=2)  # end\n", "# x\n# a\nf(x)  # end\n"),
}


@pytest.mark.parametrize(("before", "after"), REMOVED_TOGETHER.values(), ids=REMOVED_TOGETHER)
def test_remove_several_arguments(before: str, after: str) -> None:
    def build(fix: Fix) -> None:
        call = _call(fix)
        bound = Arguments.bind(call, None)
        fix.remove_arguments(call, [item for item in bound if item.name in "ab"])

    assert _text(before, build) == after


NAMED = {
    "plain": ("Session(t)\n", "Session(target=t)\n"),
    "in parentheses": ("Session((t))\n", "Session(target=(t))\n"),
    "a bare generator": ("Session(x for x in y)\n", "Session(target=(x for x in y))\n"),
    "already named": ("Session(target=t)\n", "Session(target=t)\n"),
}


@pytest.mark.parametrize(("before", "after"), NAMED.values(), ids=NAMED)
def test_name_an_argument(before: str, after: str) -> None:
    def build(fix: Fix) -> None:
        call = _call(fix, "Session")
        argument = Arguments.bind(call, signature("tf.Session")).get("target")
        assert argument is not None
        fix.name_argument(argument)

    assert _text(before, build) == after


def test_name_and_wrap_an_argument() -> None:
    def build(fix: Fix) -> None:
        call = _call(fix, "Session")
        argument = Arguments.bind(call, signature("tf.Session")).get("target")
        assert argument is not None
        fix.wrap(argument.value, "w(")
        fix.name_argument(argument)

    assert _text("Session(t)\n", build) == "Session(target=w(t))\n"


BEFORE = {
    "top level": ("f()\n", "n = 1\nf()\n"),
    "in a block": ("if a:\n    f()\n", "if a:\n    n = 1\n    f()\n"),
    "tabs": ("if a:\n\tf()\n", "if a:\n\tn = 1\n\tf()\n"),
    "inside an expression": (
        "if a:\n    x = [\n        f(),\n    ]\n",
        "if a:\n    n = 1\n    x = [\n        f(),\n    ]\n",
    ),
    "one line": ("if a: f()\n", "if a: n = 1; f()\n"),
    "one line, second": ("if a: g(); f()\n", "if a: g(); n = 1; f()\n"),
    "one line, else": ("if a: g()\nelse: f()\n", "if a: g()\nelse: n = 1; f()\n"),
    "two statements on a line": ("g(); f()\n", "g(); n = 1; f()\n"),
    "the first of two": ("f(); g()\n", "n = 1\nf(); g()\n"),
    "decorated": ("@f()\ndef g():\n    pass\n", "n = 1\n@f()\ndef g():\n    pass\n"),
    "a condition": ("if f():\n    pass\n", "n = 1\nif f():\n    pass\n"),
    "elif": (
        "if a:\n    pass\nelif f():\n    pass\n",
        "n = 1\nif a:\n    pass\nelif f():\n    pass\n",
    ),
    "the third elif": (
        "if a:\n    pass\nelif b:\n    pass\nelif f():\n    pass\n",
        "n = 1\nif a:\n    pass\nelif b:\n    pass\nelif f():\n    pass\n",
    ),
    "an if inside else": (
        "if a:\n    pass\nelse:\n    if f():\n        pass\n",
        "if a:\n    pass\nelse:\n    n = 1\n    if f():\n        pass\n",
    ),
    "no final newline": ("f()", "n = 1\nf()"),
    "carriage returns": ("if a:\r\n    f()\r\n", "if a:\r\n    n = 1\r\n    f()\r\n"),
}


@pytest.mark.parametrize(("before", "after"), BEFORE.values(), ids=BEFORE)
def test_insert_before(before: str, after: str) -> None:
    assert _text(before, lambda fix: fix.insert_before(_statement(fix, "f"), "n = 1")) == after


AFTER = {
    "top level": ("f()\n", "f()\nn = 1\n"),
    "in a block": ("if a:\n    f()\n    g()\n", "if a:\n    f()\n    n = 1\n    g()\n"),
    "behind a remark": ("f()  # why\n", "f()  # why\nn = 1\n"),
    "over several lines": ("f(\n    1,\n)\n", "f(\n    1,\n)\nn = 1\n"),
    "one line": ("if a: f()\nb = 2\n", "if a: f(); n = 1\nb = 2\n"),
    "one line with a remark": ("if a: f()  # why\n", "if a: f(); n = 1  # why\n"),
    "two statements on a line": ("f(); g()\n", "f(); n = 1; g()\n"),
    "the second of two": ("g(); f()\n", "g(); f()\nn = 1\n"),
    "behind a whole block": ("with f():\n    a\nb\n", "with f():\n    a\nn = 1\nb\n"),
    "no final newline": ("f()", "f()\nn = 1"),
    "carriage returns": ("f()\r\n", "f()\r\nn = 1\r\n"),
}


@pytest.mark.parametrize(("before", "after"), AFTER.values(), ids=AFTER)
def test_insert_after(before: str, after: str) -> None:
    assert _text(before, lambda fix: fix.insert_after(_statement(fix, "f"), "n = 1")) == after


BLOCK = "for i in n:\n    use(i)"
BLOCKS: dict[str, tuple[str, str, str]] = {
    "before, one line": (
        "before",
        "if a: f()\n",
        "if a:\n    for i in n:\n        use(i)\n    f()\n",
    ),
    "before, one line, second": (
        "before",
        "if a: g(); f()\n",
        "if a:\n    g()\n    for i in n:\n        use(i)\n    f()\n",
    ),
    "before, two on a line": ("before", "g(); f()\n", "g()\nfor i in n:\n    use(i)\nf()\n"),
    "after, one line": (
        "after",
        "if a: f()\n",
        "if a:\n    f()\n    for i in n:\n        use(i)\n",
    ),
    "after, one line, first": (
        "after",
        "if a: f(); g()\n",
        "if a:\n    f()\n    for i in n:\n        use(i)\n    g()\n",
    ),
    "after, two on a line": ("after", "f(); g()\n", "f()\nfor i in n:\n    use(i)\ng()\n"),
    "before, one line in a class": (
        "before",
        "class C:\n  def m(self): return f()\n",
        "class C:\n  def m(self):\n    for i in n:\n        use(i)\n    return f()\n",
    ),
}


@pytest.mark.parametrize(("where", "before", "after"), BLOCKS.values(), ids=BLOCKS)
def test_blocks_get_lines_of_their_own(where: str, before: str, after: str) -> None:
    def build(fix: Fix) -> None:
        insert = fix.insert_before if where == "before" else fix.insert_after
        insert(_statement(fix, "f"), BLOCK)

    assert _text(before, build) == after


def test_lines_with_a_remark_get_lines_of_their_own() -> None:
    text = _text("if a: f()\n", lambda fix: fix.insert_before(_call(fix), "# why\nn = 1"))
    assert text == "if a:\n    # why\n    n = 1\n    f()\n"


GONE = {
    "top level": ("a\nf()\nb\n", "a\nb\n"),
    "the only statement of the file": ("f()\n", ""),
    "in a block": ("if a:\n    f()\n    b\n", "if a:\n    b\n"),
    "a block of its own": ("if a:\n    f()\nb\n", "if a:\n    pass\nb\n"),
    "an else of its own": (
        "if a:\n    b\nelse:\n    f()\n",
        "if a:\n    b\nelse:\n    pass\n",
    ),
    "a try of its own": (
        "try:\n    f()\nexcept E:\n    b\n",
        "try:\n    pass\nexcept E:\n    b\n",
    ),
    "a handler of its own": (
        "try:\n    a\nexcept E:\n    f()\n",
        "try:\n    a\nexcept E:\n    pass\n",
    ),
    "a finally of its own": (
        "try:\n    a\nfinally:\n    f()\n",
        "try:\n    a\nfinally:\n    pass\n",
    ),
    "one line": ("if a: f()\n", "if a: pass\n"),
    "one line, else": ("if a: b\nelse: f()\n", "if a: b\nelse: pass\n"),
    "elif with its block": (
        "if a:\n    b\nelif f():\n    c\nd\n",
        "if a:\n    b\nd\n",
    ),
    "the first of two": ("f(); a\n", "a\n"),
    "the second of two": ("a; f()\n", "a\n"),
    "the middle of three": ("a; f(); b\n", "a; b\n"),
    "one line, the second of two": ("if x: a; f()\n", "if x: a\n"),
    "over several lines": ("a\nf(\n    1,\n    2,\n)\nb\n", "a\nb\n"),
    "a remark behind": ("a\nf()  # why\nb\n", "a\n# why\nb\n"),
    "a remark inside": ("a\nf(  # why\n    1)\nb\n", "a\n# why\nb\n"),
    "a remark above": ("a\n# why\nf()\nb\n", "a\n# why\nb\n"),
    "a remark in a block of its own": (
        "if a:\n    # why\n    f(  # inside\n    )  # behind\n",
        "if a:\n    # why\n    # inside\n    pass  # behind\n",
    ),
    "only a docstring is left": (
        'def g():\n    """Doc."""\n    f()\n',
        'def g():\n    """Doc."""\n',
    ),
    "tabs": ("if a:\n\tf()\n\tb\n", "if a:\n\tb\n"),
    "no final newline": ("a\nf()", "a\n"),
    "carriage returns": ("a\r\nf()\r\nb\r\n", "a\r\nb\r\n"),
}


@pytest.mark.parametrize(("before", "after"), GONE.values(), ids=GONE)
def test_remove_a_statement(before: str, after: str) -> None:
    assert _text(before, lambda fix: fix.remove_statement(_statement(fix, "f"))) == after


ALL_GONE = {
    "a whole block": ("if a:\n    f()\n    g()\n", "if a:\n    pass\n"),
    "a whole file": ("f()\ng()\n", ""),
    "a line": ("if a: f(); g()\n", "if a: pass\n"),
}


@pytest.mark.parametrize(("before", "after"), ALL_GONE.values(), ids=ALL_GONE)
def test_remove_every_statement_of_a_block(before: str, after: str) -> None:
    def build(fix: Fix) -> None:
        for name in ("f", "g"):
            fix.remove_statement(_statement(fix, name))

    assert _text(before, build) == after


UNWRAPPED = {
    "plain": ("with f():\n    a\n    b\nc\n", "a\nb\nc\n"),
    "in a block": ("if x:\n    with f():\n        a\n    c\n", "if x:\n    a\n    c\n"),
    "tabs": ("if x:\n\twith f():\n\t\ta\n", "if x:\n\ta\n"),
    "one line": ("with f(): a; b\n", "a; b\n"),
    "one line behind a header of two": ("with f(\n    1): a\nb\n", "a\nb\n"),
    "two items": ("with f(), g() as h:\n    a\n", "a\n"),
    "deeper blocks": (
        "with f():\n    if x:\n        a\n    else:\n        b\n",
        "if x:\n    a\nelse:\n    b\n",
    ),
    "a header over lines": ("with f(\n    1,\n    2,\n) as x:\n    a\n", "a\n"),
    "a colon in a remark of the header": (
        "with f(\n    1):  # note: this\n    a\n",
        "# note: this\na\n",
    ),
    "a colon in a remark before the colon": (
        "with (f()  # note: this\n      ):\n    a\n",
        "# note: this\na\n",
    ),
    "a string over lines keeps its content": (
        'with f():\n    a = """\n    x\n        y\n    """\n    b\n',
        'a = """\n    x\n        y\n    """\nb\n',
    ),
    "a format string over lines keeps its content": (
        'with f():\n    a = f"""\n    {x}\n    """\n    b\n',
        'a = f"""\n    {x}\n    """\nb\n',
    ),
    "an expression over lines": (
        "with f():\n    a = [\n        1,\n    ]\n    b\n",
        "a = [\n    1,\n]\nb\n",
    ),
    "an expression that hangs to the left": (
        "with f():\n    a = [\n  1,\n    ]\n    b\n",
        "a = [\n  1,\n]\nb\n",
    ),
    "remarks": (
        "with f():  # one\n    # two\n    a  # three\n# four\n    b\n    # five\nc\n",
        "# one\n# two\na  # three\n# four\nb\n# five\nc\n",
    ),
    "the same remark twice": ("with f():  # x\n    a  # x\n", "# x\na  # x\n"),
    "empty lines": ("with f():\n\n    a\n\n    b\n", "a\n\nb\n"),
    "a with inside": ("with f():\n    with g():\n        a\n", "with g():\n    a\n"),
    "no final newline": ("with f():\n    a", "a"),
    "carriage returns": ("with f():\r\n    a\r\n    b\r\n", "a\r\nb\r\n"),
}


@pytest.mark.parametrize(("before", "after"), UNWRAPPED.values(), ids=UNWRAPPED)
def test_unwrap_a_with(before: str, after: str) -> None:
    def build(fix: Fix) -> None:
        node = next(n for n in ast.walk(fix.module.tree) if isinstance(n, ast.With))
        fix.unwrap_with(node)

    assert _text(before, build) == after


def test_fresh_names_differ_from_each_other() -> None:
    fix = Fix(_module("config = 1\n"))
    assert [fix.fresh("config"), fix.fresh("config"), fix.fresh("other")] == [
        "config_2",
        "config_3",
        "other",
    ]


OPERANDS = {"x": "x", "x.y": "x.y", "x()": "x()", "x[1]": "x[1]", "1": "1", "x + y": "(x + y)"}


@pytest.mark.parametrize(("text", "operand"), OPERANDS.items(), ids=OPERANDS)
def test_operands_bind_tightly(text: str, operand: str) -> None:
    module = _module(f"{text}\n")
    (node,) = module.tree.body
    assert isinstance(node, ast.Expr)
    assert Fix(module).operand(node.value) == operand


UNITS = {"two": ("if a:\n  b\n", "  "), "a tab": ("if a:\n\tb\n", "\t"), "none": ("a\n", "    ")}


@pytest.mark.parametrize(("text", "unit"), UNITS.values(), ids=UNITS)
def test_indentation_of_the_file(text: str, unit: str) -> None:
    assert Fix(_module(text)).indent_unit == unit


def test_a_helper_function_is_defined_once_before_its_first_use() -> None:
    helper = "def {name}(x):\n    return x"

    def build(name: str) -> Build:
        def use(fix: Fix) -> None:
            call = _call(fix, name)
            fix.wrap(call.args[0], fix.define(helper, "helper", call) + "(")

        return use

    fixed = _fixed("import os\n\n# about g\ndef g():\n    f(1)\n\nh(2)\n", build("f"), build("h"))
    assert fixed.text == (
        "import os\n\ndef helper(x):\n    return x\n\n\n# about g\ndef g():\n"
        "    f(helper(1))\n\nh(helper(2))\n"
    )
