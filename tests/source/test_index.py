"""One walk reaches every node, once."""

from __future__ import annotations

import ast
import gc
import weakref

import pytest

from ascendify.source.module import Module
from ascendify.source.scopes import build
from ascendify.source.text import SourceText

PROGRAM = '''
import a.b as c, d
from .e import (f as g, h)
@c.deco(1)
class K(c.Base, metaclass=d.M):
    """Doc."""
    x: int = 1
    def m(self, p, /, q=2, *r, s=3, **t) -> "K":
        nonlocal_ = [i for i in range(q) if i]
        self.y, (self.z, *w) = p, (q, r)
        with c.open(p) as fh, d.lock:
            for k, v in {**t}.items():
                yield lambda u, n=v: u + n
        try:
            del w[0]
        except (ValueError, c.E) as error:
            raise d.X from error
        else:
            assert (m := 5) > 4, f"{m!r:>{q}}"
        finally:
            return
async def co():
    async with x as y:
        await y.z[1:2, ...].w(*a, **k)
    global G
    G = not -1 if a else ~b
    while a < b <= c: break
    else: pass
'''
MARKS = (ast.expr_context, ast.operator, ast.boolop, ast.unaryop, ast.cmpop)


def test_every_node_is_reached_once_and_knows_its_parent() -> None:
    tree = ast.parse(PROGRAM)
    index = build(tree)
    expected = [n for n in ast.walk(tree) if n is not tree and not isinstance(n, MARKS)]
    missed = [ast.dump(node) for node in expected if node not in index.nodes]
    assert missed == []
    assert len(index.nodes) == len(expected)
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, MARKS):
                assert child.parent is node  # type: ignore[attr-defined]  # set by the walk


def test_nodes_by_class() -> None:
    index = build(ast.parse(PROGRAM))
    assert [node.name for node in index.of(ast.FunctionDef)] == ["m"]
    assert [node.name for node in index.of(ast.AsyncFunctionDef)] == ["co"]
    assert len(list(index.of(ast.FunctionDef, ast.AsyncFunctionDef))) == 2


@pytest.mark.parametrize("text", [PROGRAM, "x = 1\n"])
def test_released_trees_need_no_garbage_collector(text: str) -> None:
    module = Module.parse_text("m.py", SourceText(text))
    probes = [weakref.ref(node) for node in module.index.of(ast.Call, ast.Assign, ast.FunctionDef)]
    assert probes
    gc.collect()
    gc.disable()
    try:
        module.index.release()
        del module
        assert [probe() for probe in probes if probe() is not None] == []
    finally:
        gc.enable()
