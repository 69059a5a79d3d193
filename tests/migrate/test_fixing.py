"""Applying fixes: all edits of one or none, comments kept, imports added once, never broken."""

from __future__ import annotations

import ast
import warnings
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascendify.findings import Finding, Span, Status
from ascendify.migrate.fixing import Fixed, fix_python, fix_text
from ascendify.rules.fix import Changes
from ascendify.rules.rule import Diagnosis
from ascendify.source.edits import Edit
from ascendify.source.imports import Import
from ascendify.source.module import Module
from ascendify.source.text import SourceText
from support.rule_cases import comments


def _diagnosis(*edits: Edit, imports: tuple[Import, ...] = (), code: str = "X-1") -> Diagnosis:
    changes = Changes(edits)
    changes.imports.extend(imports)
    finding = Finding(code, Status.AUTO, "main.py", Span(), "found", "done")
    return Diagnosis(finding, changes)


def _module(text: str, encoding: str = "utf-8") -> Module:
    module = Module.parse_text("main.py", SourceText(text, encoding))
    assert module.index
    return module


def _replace(text: str, old: str, new: str) -> Edit:
    start = text.index(old)
    return Edit(start, start + len(old), new)


def _fix(text: str, *diagnoses: Diagnosis) -> Fixed:
    return fix_python(_module(text), diagnoses)


def test_nothing_to_do_keeps_the_text() -> None:
    reported = Diagnosis(Finding("X-1", Status.INFO, "main.py", Span(), "found"))
    fixed = _fix("a = 1\n", reported)
    assert (fixed.text, fixed.applied) == ("a = 1\n", [])


def test_fixes_that_do_not_meet_are_applied_together() -> None:
    text = "a = 1\nb = 2\n"
    fixed = _fix(text, _diagnosis(_replace(text, "1", "3")), _diagnosis(_replace(text, "2", "4")))
    assert fixed.text == "a = 3\nb = 4\n"


def test_of_two_that_overlap_the_second_waits_as_a_whole() -> None:
    text = "a = f(1)\nb = 2\n"
    first = _diagnosis(_replace(text, "f(1)", "g(1)"))
    second = _diagnosis(_replace(text, "(1)", "(5)"), _replace(text, "2", "4"))
    fixed = _fix(text, first, second)
    assert fixed.text == "a = g(1)\nb = 2\n"
    assert fixed.deferred == [second]


def test_two_that_remove_the_same_agree() -> None:
    text = "a = 1\nb = 2\n"
    one, two = (_diagnosis(_replace(text, "b = 2\n", "")) for _ in range(2))
    fixed = _fix(text, one, two)
    assert fixed.text == "a = 1\n"
    assert fixed.applied == [one, two]


def test_what_another_fix_removes_needs_no_fix() -> None:
    text = "a = 1\nb = f(2)\n"
    removal = _diagnosis(_replace(text, "b = f(2)\n", ""))
    inside = _diagnosis(_replace(text, "2", "3"))
    fixed = _fix(text, removal, inside)
    assert fixed.text == "a = 1\n"
    assert fixed.moot == [inside]


def test_a_fix_that_contradicts_itself_is_left_out() -> None:
    text = "a = 1\nb = 2\n"
    bad = _diagnosis(_replace(text, "a = 1", "x"), _replace(text, "= 1", "y"))
    good = _diagnosis(_replace(text, "2", "3"))
    fixed = _fix(text, bad, good)
    assert fixed.text == "a = 1\nb = 3\n"
    assert fixed.broken == [bad]


def test_a_fix_that_breaks_the_file_is_left_out_and_the_others_stay() -> None:
    text = "a = 1\nb = 2\nc = 3\n"
    bad = _diagnosis(_replace(text, "2", "("))
    good = [_diagnosis(_replace(text, old, "9")) for old in ("1", "3")]
    fixed = _fix(text, good[0], bad, good[1])
    assert fixed.text == "a = 9\nb = 2\nc = 9\n"
    assert (fixed.applied, fixed.broken) == (good, [bad])


def test_two_removals_that_would_empty_a_block_take_turns() -> None:
    text = "if a:\n    b\n    c\n"
    first = _diagnosis(_replace(text, "    b\n", ""))
    second = _diagnosis(_replace(text, "    c\n", ""))
    fixed = _fix(text, first, second)
    assert fixed.text == "if a:\n    c\n"
    assert (fixed.applied, fixed.deferred, fixed.broken) == ([first], [second], [])


def test_text_the_encoding_cannot_hold_is_left_out() -> None:
    text = "# coding: latin-1\na = 1\n"
    bad = _diagnosis(_replace(text, "1", "'\u4e2d'"))
    fixed = fix_python(_module(text, "latin-1"), [bad])
    assert fixed.text == text
    assert fixed.broken == [bad]


def test_an_import_is_added_once_however_many_ask() -> None:
    text = "import tensorflow as tf\na = 1\nb = 2\n"
    npu = (Import("m", "npu"),)
    fixed = _fix(
        text,
        _diagnosis(_replace(text, "1", "npu(1)"), imports=npu),
        _diagnosis(_replace(text, "2", "npu(2)"), imports=npu),
    )
    assert fixed.text == "import tensorflow as tf\nfrom m import npu\na = npu(1)\nb = npu(2)\n"


def test_imports_of_a_fix_that_is_left_out_are_left_out() -> None:
    text = "import tensorflow as tf\na = 1\n"
    fixed = _fix(text, _diagnosis(_replace(text, "1", "npu("), imports=(Import("m", "npu"),)))
    assert fixed.text == text


def test_two_things_of_one_name_are_not_imported_together() -> None:
    text = "import tensorflow as tf\na = 1\nb = 2\n"
    first = _diagnosis(_replace(text, "1", "npu(1)"), imports=(Import("m", "npu"),))
    second = _diagnosis(_replace(text, "2", "npu(2)"), imports=(Import("other", "npu"),))
    fixed = _fix(text, first, second)
    assert fixed.deferred == [second]
    assert "other" not in fixed.text


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_imports_move_past_an_import_that_goes(newline: str) -> None:
    text = newline.join(["import os", "import horovod.tensorflow as hvd", "a = 1", ""])
    gone = _replace(text, "import horovod.tensorflow as hvd" + newline, "")
    fixed = _fix(
        text, _diagnosis(gone, _replace(text, "1", "npu(1)"), imports=(Import("m", "npu"),))
    )
    assert fixed.text == newline.join(["import os", "from m import npu", "a = npu(1)", ""])


KEPT = {
    "in a replaced call": (
        "if x:\n    y = f(a,  # why\n          b)\n",
        ("f(a,  # why\n          b)", "g()"),
        "if x:\n    # why\n    y = g()\n",
    ),
    "two": (
        "y = f(a,  # one\n      b  # two\n)\n",
        ("f(a,  # one\n      b  # two\n)", "g()"),
        "# one\n# two\ny = g()\n",
    ),
    "kept by the fix itself": (
        "y = f(a  # why\n)\n",
        ("f(a  # why\n)", "g(a  # why\n)"),
        "y = g(a  # why\n)\n",
    ),
    "the same text twice, kept once": (
        "y = f(a,  # x\n  b  # x\n)\n",
        ("f(a,  # x\n  b  # x\n)", "g(a  # x\n)"),
        "# x\ny = g(a  # x\n)\n",
    ),
    "the beginning of another": (
        "y = f(a,  # x\n  b  # x y\n)\n",
        ("f(a,  # x\n  b  # x y\n)", "g(a  # x y\n)"),
        "# x\ny = g(a  # x y\n)\n",
    ),
    "trailing spaces": (
        "y = f(a  # why  \n)\n",
        ("f(a  # why  \n)", "g(a  # why  \n)"),
        "y = g(a  # why  \n)\n",
    ),
    "in a whole statement that goes": (
        "a\nf(  # why\n)\nb\n",
        ("f(  # why\n)\n", ""),
        "a\n# why\nb\n",
    ),
    "on a line shared with a string that ends there": (
        's = """\n"""; f(a,  # why\n  b)\n',
        ("f(a,  # why\n  b)", "g()"),
        '# why\ns = """\n"""; g()\n',
    ),
    "a hash in a string is no comment": ("f('# no', a)\n", ("f('# no', a)", "g()"), "g()\n"),
    "an else of its own": (
        "if x:\n    a\nelse:\n    f(  # why\n    )\n",
        ("f(  # why\n    )", "g()"),
        "if x:\n    a\nelse:\n    # why\n    g()\n",
    ),
    "in an elif": (
        "if x:\n    a\nelif f(  # why\n  1):\n    b\n",
        ("f(  # why\n  1)", "g()"),
        "if x:\n    a\n# why\nelif g():\n    b\n",
    ),
    "in a decorator": (
        "@f(  # why\n  1)\ndef g(): pass\n",
        ("f(  # why\n  1)", "h"),
        "# why\n@h\ndef g(): pass\n",
    ),
    "carriage returns": (
        "y = f(a,  # why\r\n  b)\r\n",
        ("f(a,  # why\r\n  b)", "g()"),
        "# why\r\ny = g()\r\n",
    ),
    "carriage returns alone": (
        "y = f(a,  # why\r  b)\rz = 1\r",
        ("f(a,  # why\r  b)", "g()"),
        "# why\ry = g()\rz = 1\r",
    ),
}


@pytest.mark.parametrize(("before", "change", "after"), KEPT.values(), ids=KEPT)
def test_comments_are_kept(before: str, change: tuple[str, str], after: str) -> None:
    assert _fix(before, _diagnosis(_replace(before, *change))).text == after


PIECES = (
    "x = f(1,  # a\n      2)\n",
    "if x:  # b\n    f(3)  # c\n    # d\n    f(4)\n",
    "with f(5) as y:  # e\n    f(  # f\n        6,\n    )\n",
    "f(7); f(8)  # g\n",
    "def h(a):  # h\n    '''Doc # not.'''\n    return f(a)  # i\n",
    "if x: f(9)  # j\nelse: f(10)\n",
    "\n# k\n",
)


@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=5), st.data())
def test_whatever_is_replaced_comments_stay_and_the_text_parses(
    pieces: list[str], data: st.DataObject
) -> None:
    text = "".join(pieces)
    module = _module(text)
    chosen = [node for node in module.index.calls if data.draw(st.booleans())]
    diagnoses = [_diagnosis(Edit(module.start(node), module.end(node), "g()")) for node in chosen]
    fixed = fix_python(module, diagnoses)
    ast.parse(fixed.text)
    assert comments(text) - comments(fixed.text) == Counter()
    assert fixed.text.count("g()") == len(fixed.applied)
    assert fixed.broken == []


INSERTED = (
    *(
        "",
        "(",
        ")",
        "'",
        '"""',
        "\n",
        "\\\n",
        "\\",
        ";",
        ":",
        "#",
        "x",
        " = 1\n",
        "    ",
        "    x\n",
    ),
    *("else:\n    x\n", "if x:\n", "@x\n", "def f():\n", "x = [\n", "]\n", "import x\n"),
)


@given(
    st.lists(st.sampled_from(PIECES), min_size=3, max_size=8),
    st.lists(st.sampled_from(INSERTED), min_size=1, max_size=3),
    st.data(),
)
def test_a_fix_is_applied_where_the_whole_text_stays_valid(
    pieces: list[str], new: list[str], data: st.DataObject
) -> None:
    text = "".join(pieces)
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, min(len(text), start + 40)))
    edit = Edit(start, end, "".join(new))
    fixed = _fix(text, _diagnosis(edit))
    assert _is_python(fixed.text)
    if fixed.broken:
        # a comment that is brought back may be what does not fit
        assert "#" in text[start:end] or not _is_python(text[:start] + edit.new + text[end:])


def _is_python(text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(text)
        except SyntaxError:
            return False
    return True


def test_one_broken_statement_of_many_is_left_out() -> None:
    text = "".join(f"x{number} = f({number})\n" for number in range(20))
    bad, good = (_diagnosis(_replace(text, f"f({at})", new)) for at, new in ((7, "f("), (9, "g()")))
    fixed = _fix(text, bad, good)
    assert (fixed.applied, fixed.broken) == ([good], [bad])


def test_a_line_that_belongs_to_the_statement_above_it_is_added() -> None:
    text = "if a:\n    b\n" + "x = 1\n" * 20
    place = text.index("x")
    fixed = _fix(text, _diagnosis(Edit(place, place, "else:\n    c\n")))
    assert fixed.text == "if a:\n    b\nelse:\n    c\n" + "x = 1\n" * 20


def test_text_files_know_no_python() -> None:
    text = "CUDA_VISIBLE_DEVICES=0 python a.py  # (\n"
    fixed = fix_text(text, [_diagnosis(_replace(text, "CUDA_VISIBLE_DEVICES", "DEVICE_ID"))])
    assert fixed.text == "DEVICE_ID=0 python a.py  # (\n"
