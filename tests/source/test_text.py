"""Bytes in, bytes out: decoding keeps everything needed to write a file back."""

from __future__ import annotations

import ast
import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascendify.source.module import Module
from ascendify.source.text import SourceError, SourceText

ROUND_TRIPS = {
    "plain": b"x = 1\n",
    "no final newline": b"x = 1",
    "empty": b"",
    "carriage returns": b"x = 1\r\ny = 2\r\n",
    "old Mac line ends": b"x = 1\ry = 2\r",
    "mixed line ends": b"x = 1\r\ny = 2\nz = 3\r",
    "byte order mark": codecs.BOM_UTF8 + b"x = '\xe4\xb8\xad'\n",
    "latin-1 cookie": b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
    "gbk cookie on line two": "#!/usr/bin/env python\n# coding: gbk\nx = '\u4e2d\u6587'\n".encode(
        "gbk"
    ),
    "form feed and tabs": b"\x0cif x:\n\ty = 1\t\n",
    "long first line": ("# " + "\u4e2d" * 500 + "\n").encode(),
}


@pytest.mark.parametrize("raw", ROUND_TRIPS.values(), ids=ROUND_TRIPS)
def test_round_trip(raw: bytes) -> None:
    source = SourceText.decode(raw)
    assert source.encode(source.text) == raw


@given(st.text(), st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_text_round_trips(text: str, newline: str) -> None:
    raw = text.replace("\n", newline).encode("utf-8", "ignore")
    try:
        source = SourceText.decode(raw)
    except SourceError:
        return
    assert source.encode(source.text) == raw


REFUSED = {
    "not UTF-8, nothing declared": (b"x = 1\ny = '\xd6\xd0'\n", 2, "declares no other encoding"),
    "unknown encoding": (b"# coding: klingon\nx = 1\n", 1, "klingon"),
    "not what the cookie says": (b"# coding: ascii\nx = '\xe9'\n", 2, "0xe9"),
}


@pytest.mark.parametrize(("raw", "line", "words"), REFUSED.values(), ids=REFUSED)
def test_refuses_with_line_and_reason(raw: bytes, line: int, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        SourceText.decode(raw)
    assert caught.value.line == line
    assert words in caught.value.reason


NEWLINES = {
    "unix": ("a\nb\n", "\n"),
    "dos": ("a\r\nb\r\nc\n", "\r\n"),
    "mac": ("a\rb\r", "\r"),
    "none": ("a", "\n"),
}


@pytest.mark.parametrize(("text", "newline"), NEWLINES.values(), ids=NEWLINES)
def test_dominant_newline(text: str, newline: str) -> None:
    assert SourceText(text).newline == newline


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_positions_of_the_tree_are_positions_of_the_text(newline: str) -> None:
    text = newline.join(["a = '\u4e2d\u6587'; b = f(1)", "\x0cc = g(2)  # \u00e9", "", "d = h(3)"])
    module = Module.parse_text("m.py", SourceText(text))
    calls = [module.segment(n) for n in ast.walk(module.tree) if isinstance(n, ast.Call)]
    assert calls == ["f(1)", "g(2)", "h(3)"]


PYTHON2 = {
    "print statement": 'import os\nprint "hello"\n',
    "except with a comma": "try:\n    f()\nexcept ValueError, e:\n    pass\n",
    "exec statement": "exec code in ns\n",
    "raise with a comma": "raise ValueError, 'x'\n",
    "backticks": "x = `1`\n",
    "unequal": "if a <> b:\n    pass\n",
}


@pytest.mark.parametrize("text", PYTHON2.values(), ids=PYTHON2)
def test_python2_is_named(text: str) -> None:
    with pytest.raises(SourceError) as caught:
        Module.parse("m.py", text.encode())
    assert "Python 2" in caught.value.reason


def test_broken_python3_is_not_called_python2() -> None:
    with pytest.raises(SourceError) as caught:
        Module.parse("m.py", b"def f(:\n    return 1\n")
    assert "Python 2" not in caught.value.reason
    assert caught.value.line == 1
