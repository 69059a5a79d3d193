"""Which assignments of a name can reach a use of it."""

from __future__ import annotations

import ast

import pytest

from ascendify.source.flow.reaching import reaching
from ascendify.source.scopes import scope_of
from support.source_questions import in_question, parse


def _live(text: str) -> list[int]:
    """Lines of the bindings that the name inside ``ask(x)`` may see."""
    module = parse(text)
    name = in_question(module)
    assert isinstance(name, ast.Name)
    use_scope = scope_of(name)
    scope = use_scope.find(name.id)
    assert scope is not None
    found = reaching(name, scope.bindings[name.id], scope, use_scope)
    return [binding.node.lineno for binding in found]  # type: ignore[attr-defined]  # all have one


LIVE = {
    "only one": ("x = 1\nask(x)\n", [1]),
    "the last one": ("x = 1\nx = 2\nask(x)\n", [2]),
    "not a later one": ("x = 1\nask(x)\nx = 2\n", [1]),
    "the right-hand side sees the one before": ("x = 1\nx = ask(x)\n", [1]),
    "an augmented one": ("x = 1\nx += 2\nask(x)\n", [2]),
    "a branch adds": ("x = 1\nif a:\n    x = 2\nask(x)\n", [1, 3]),
    "inside the branch it is the only one": ("x = 1\nif a:\n    x = 2\n    ask(x)\n", [3]),
    "one branch does not see the other": ("x = 1\nif a:\n    x = 2\nelse:\n    ask(x)\n", [1]),
    "nor the other way round": ("x = 1\nif a:\n    ask(x)\nelse:\n    x = 2\n", [1]),
    "elif does not see the branch before": (
        "x = 1\nif a:\n    x = 2\nelif b:\n    ask(x)\n",
        [1],
    ),
    "in a loop one branch sees the other": (
        "x = 1\nfor _ in y:\n    if a:\n        x = 2\n    else:\n        ask(x)\n",
        [1, 4],
    ),
    "a branch that returns does not go on": (
        "def f():\n    x = 1\n    if a:\n        x = 2\n        return x\n    ask(x)\n",
        [2],
    ),
    "a branch that raises does not go on": (
        "x = 1\nif a:\n    x = 2\n    raise E\nask(x)\n",
        [1],
    ),
    "what a try raises may go on": (
        "x = 1\ntry:\n    if a:\n        x = 2\n        raise E\nexcept E:\n    pass\nask(x)\n",
        [1, 4],
    ),
    "a loop brings back the later one": ("x = 1\nfor _ in y:\n    ask(x)\n    x = 2\n", [1, 4]),
    "a loop brings its own result back": ("x = 1\nfor _ in y:\n    x = ask(x)\n", [1, 3]),
    "a loop variable is new in each round": ("x = 1\nfor x in y:\n    x = ask(x)\n", [2]),
    "nor does a loop around it bring one": (
        "x = 1\nwhile a:\n    for x in y:\n        ask(x)\n    x = 2\n",
        [3],
    ),
    "what the round itself assigns hides the last round": (
        "x = 1\nfor _ in y:\n    x = 2\n    x = ask(x)\n",
        [3],
    ),
    "where it surely does": (
        "x = 1\nfor _ in y:\n    if a:\n        x = 2\n    x = ask(x)\n",
        [1, 4, 5],
    ),
    "an inner loop brings its own": (
        "for _ in y:\n    x = 2\n    while a:\n        x = ask(x)\n    x = 3\n",
        [2, 4],
    ),
    "behind the loop the last of both": ("for x in y:\n    x = 1\nelse:\n    ask(x)\n", [1, 2]),
    "a while condition sees the body": ("x = 1\nwhile ask(x):\n    x = 2\n", [1, 3]),
    "a loop variable inside its loop": ("x = 1\nfor x in y:\n    ask(x)\n", [2]),
    "a loop variable behind its loop": ("x = 1\nfor x in y:\n    pass\nask(x)\n", [1, 2]),
    "the iterable sees the one before": ("x = 1\nfor x in ask(x):\n    pass\n", [1]),
    "with": ("x = 1\nwith y as x:\n    ask(x)\n", [2]),
    "behind a with": ("x = 1\nwith y as x:\n    pass\nask(x)\n", [2]),
    "the iterable does not see the body": ("x = 1\nfor _ in ask(x):\n    x = 2\n", [1]),
    "the context sees the one before": ("x = 1\nwith ask(x) as x:\n    pass\n", [1]),
    "an item of a with sees the item before": (
        "x = 1\nwith y as x, ask(x) as z:\n    pass\n",
        [2],
    ),
    "bound inside a with, used behind it": ("x = 1\nwith y:\n    x = 2\nask(x)\n", [3]),
    "bound inside two withs": ("x = 1\nwith y:\n    with z:\n        x = 2\nask(x)\n", [4]),
    "bound inside a with inside a branch": (
        "x = 1\nif a:\n    with y:\n        x = 2\nask(x)\n",
        [1, 4],
    ),
    "try and except": ("try:\n    x = 1\nexcept E:\n    x = 2\nask(x)\n", [2, 4]),
    "except sees what came before the try": (
        "x = 1\ntry:\n    x = 2\nexcept E:\n    ask(x)\n",
        [1, 3],
    ),
    "an exception's name in its handler": (
        "x = 1\ntry:\n    pass\nexcept E as x:\n    ask(x)\n",
        [4],
    ),
    "finally": ("x = 1\ntry:\n    x = 2\nfinally:\n    x = 3\n    ask(x)\n", [5]),
    "a later definition is not seen before it": ("x = 1\nask(x)\ndef x(): pass\n", [1]),
    "a later import is not seen before it": ("x = 1\nask(x)\nimport x\n", [1]),
    "a decorator sees the definition before": ("def x(): pass\n@ask(x)\ndef x(): pass\n", [1]),
    "a parameter that is rebound": ("def f(x):\n    ask(x)\n    x = 1\n", [1]),
    "behind the rebinding": ("def f(x):\n    x = 1\n    ask(x)\n", [2]),
    "a closure sees all": ("x = 1\ndef f():\n    ask(x)\nx = 2\n", [1, 4]),
    "a list made on the spot sees the last": ("x = 1\nx = 2\n[ask(x) for _ in y]\nx = 3\n", [2]),
    "a generator may run later": ("x = 1\nx = 2\n(ask(x) for _ in y)\nx = 3\n", [1, 2, 4]),
    "a lambda may run later": ("x = 1\nlambda: ask(x)\nx = 2\n", [1, 3]),
    "bound by a function that is called between": (
        "x = 1\ndef f():\n    global x\n    x = 2\nf()\nask(x)\n",
        [1, 4],
    ),
    "used before any binding": ("ask(x)\nx = 1\nx = 2\n", [2, 3]),
    "two on a line": ("x = 1; x = 2; ask(x); x = 3\n", [1]),
}


@pytest.mark.parametrize(("text", "lines"), LIVE.values(), ids=LIVE)
def test_what_reaches_a_use(text: str, lines: list[int]) -> None:
    assert _live(text) == lines
