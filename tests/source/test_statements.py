"""Where a text is cut: between statements of the outermost level, and nowhere else."""

from __future__ import annotations

import ast

import pytest

from ascendify.source.statements import cut, starts

ONE = [
    pytest.param("x = 1\n", id="a line"),
    pytest.param("x = [\n1,\n2,\n]\n", id="brackets"),
    pytest.param("f(\n'(',\n)\n", id="a bracket in a string"),
    pytest.param("f(  # (\n1)\n", id="a bracket in a remark"),
    pytest.param('x = """\ny = 1\n"""\n', id="a long string"),
    pytest.param("x = '''\ny = \\'''\nz = '\n'''\n", id="a long string with quotes"),
    pytest.param('x = r"""\\\ny"""\n', id="a raw string"),
    pytest.param("x = 'a\\\nb'\n", id="a string on two lines"),
    pytest.param("x = \\\n1\n", id="a joined line"),
    pytest.param("x = 'a\\\r\nb' + \\\r\n1\r\n", id="line ends of Windows"),
    pytest.param("if a:\n    b\nelif c:\n    d\nelse:\n    e\n", id="branches"),
    pytest.param(
        "try:\n    b\nexcept A:\n    c\nelse:\n    d\nfinally:\n    e\n", id="caught errors"
    ),
    pytest.param("@a\n@b(\n1)\n# why\ndef f():\n    pass\n", id="decorators"),
    pytest.param("def f():\n    x = 1\n\n    y = 2\n# left\n    z = 3\n", id="a body"),
    pytest.param("x = 1\n\n# a remark\n", id="a remark below"),
]


@pytest.mark.parametrize("text", ONE)
def test_one_statement_is_not_cut(text: str) -> None:
    assert list(starts(text)) == []


@pytest.mark.parametrize("first", ONE)
@pytest.mark.parametrize("second", ["y = 1\n", "@a\nclass B: pass\n", "elsewhere = 1\n", "(1)\n"])
def test_two_statements_are_cut_between(first: str, second: str) -> None:
    assert list(starts(first + second)) == [len(first)]


def test_line_ends_of_old_macs() -> None:
    assert list(starts("x = [\r1]\ry = 1\r")) == [9]


def test_pieces_are_whole_statements_of_a_limited_length() -> None:
    text = "".join(f"x{i} = [\n{i},\n]\n" for i in range(50)) + "y = [" + "1, " * 100 + "]\nz = 1\n"
    ranges = list(cut(text, 60))
    assert "".join(text[start:end] for start, end in ranges) == text
    assert [end - start for start, end in ranges if end - start > 60] == [307]
    assert len(ranges) < 20
    for start, end in ranges:
        ast.parse(text[start:end])


def test_nothing_is_cut_into_nothing() -> None:
    assert list(cut("", 10)) == []
