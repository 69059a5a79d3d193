"""Edits: nested, adjacent and conflicting."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascendify.source.edits import Edit, EditConflict, apply, conflict, trace, wrap

APPLIED = {
    "insertion": ("ab", [Edit(1, 1, "X")], "aXb"),
    "replacement": ("abc", [Edit(1, 2, "XY")], "aXYc"),
    "deletion": ("abc", [Edit(0, 1, "")], "bc"),
    "insertion at the start of a replacement": ("abc", [Edit(1, 2, "B"), Edit(1, 1, "<")], "a<Bc"),
    "insertion at the end of a replacement": ("abc", [Edit(2, 2, ">"), Edit(1, 2, "B")], "aB>c"),
    "wrap": ("f(x)", [*wrap(2, 3, "g(", ")")], "f(g(x))"),
    "wrap inside a wrap": ("a+b", [*wrap(0, 1, "i(", ")"), *wrap(0, 3, "o(", ")")], "o(i(a)+b)"),
    "wrap ending where the outer ends": (
        "a+b",
        [*wrap(0, 3, "o(", ")"), *wrap(2, 3, "i[", "]")],
        "o(a+i[b])",
    ),
    "two wraps of one range nest by level": (
        "x",
        [*wrap(0, 1, "inner(", ")"), *wrap(0, 1, "outer[", "]", level=1)],
        "outer[inner(x)]",
    ),
    "wrap around a replacement": ("f(x)", [Edit(2, 3, "y"), *wrap(2, 3, "g(", ")")], "f(g(y))"),
    "neighbours": ("ab", [*wrap(0, 1, "<", ">"), *wrap(1, 2, "(", ")")], "<a>(b)"),
}


@pytest.mark.parametrize(("text", "edits", "result"), APPLIED.values(), ids=APPLIED)
def test_apply(text: str, edits: list[Edit], result: str) -> None:
    assert apply(text, edits) == result
    assert apply(text, reversed(edits)) == result


CONFLICTS = {
    "overlap": [Edit(0, 2, "X"), Edit(1, 3, "Y")],
    "same range": [Edit(0, 2, "X"), Edit(0, 2, "Y")],
    "insertion inside a deletion": [Edit(0, 3, ""), Edit(1, 1, "X")],
    "replacement inside another": [Edit(0, 3, "X"), Edit(1, 2, "Y")],
}


@pytest.mark.parametrize("edits", CONFLICTS.values(), ids=CONFLICTS)
def test_conflicts_are_errors(edits: list[Edit]) -> None:
    with pytest.raises(EditConflict):
        apply("abcd", edits)


@st.composite
def _edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text(alphabet="abc\n", max_size=30))
    points = sorted(draw(st.lists(st.integers(0, len(text)), max_size=8, unique=True)))
    edits = [
        Edit(start, end, draw(st.text(alphabet="XY", max_size=3)))
        for start, end in zip(points[::2], points[1::2])
    ]
    return text, edits


@given(_edits())
def test_text_outside_the_edits_survives(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    result = apply(text, edits)
    kept = "".join(c for c in result if c not in "XY")
    expected, done = "", 0
    for edit in edits:
        expected += text[done : edit.start]
        done = edit.end
    assert kept == expected + text[done:]
    assert len(result) == len(text) + sum(len(e.new) - (e.end - e.start) for e in edits)


@given(_edits())
def test_trace_leads_back(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    result = apply(text, edits)
    back = trace(edits)
    for offset, char in enumerate(result):
        origin = back(offset)
        assert 0 <= origin <= len(text)
        if char not in "XY":
            assert text[origin] == char


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=6))
def test_conflict_is_found_whatever_the_order(ranges: list[tuple[int, int]]) -> None:
    edits = [Edit(min(r), max(r), "X") for r in ranges]
    pairwise = any(a.overlaps(b) for i, a in enumerate(edits) for b in edits[i + 1 :])
    assert (conflict(edits) is not None) == pairwise
    assert (conflict(edits[::-1]) is not None) == pairwise
