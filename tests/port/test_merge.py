"""Three-way merges: what each side changed is kept, and what both changed is shown."""

# ruff: noqa: E501

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascendify.port.merge import GENERATED, YOURS, has_markers, merge

CASES = {
    # base, yours, generated, merged
    "nothing changed": ("a b c", "a b c", "a b c", "a b c"),
    "only you changed": ("a b c", "a x c", "a b c", "a x c"),
    "only the original changed": ("a b c", "a b c", "a y c", "a y c"),
    "both changed, far apart": ("a b c d e", "x b c d e", "a b c d y", "x b c d y"),
    "both changed the same": ("a b c", "a x c", "a x c", "a x c"),
    "you added, the original removed elsewhere": ("a b c d", "a b c d e", "b c d", "b c d e"),
    "both added the same line": ("a b", "a n b", "a n b", "a n b"),
    "you removed, the original kept": ("a b c", "a c", "a b c d", "a c d"),
    "the original emptied the file": ("a b", "a b", "", ""),
}
TEXTS = st.lists(st.sampled_from("abcdef"), max_size=12).map(
    lambda words: "".join(f"{word}\n" for word in words)
)


def lines(words: str) -> str:
    return "".join(f"{word}\n" for word in words.split())


@pytest.mark.parametrize(("base", "yours", "generated", "merged"), CASES.values(), ids=CASES)
def test_changes_of_both_sides_are_kept(base: str, yours: str, generated: str, merged: str) -> None:
    result = merge(lines(base), lines(yours), lines(generated))
    assert result.text == lines(merged)
    assert result.conflicts == ()


def test_a_conflict_shows_both_sides_and_its_line() -> None:
    result = merge(lines("a b c"), lines("a x c"), lines("a y c"))
    assert result.text == f"a\n{YOURS}\nx\n=======\ny\n{GENERATED}\nc\n"
    assert result.conflicts == (2,)
    assert has_markers(result.text)
    assert not has_markers("a\n=======\n")


def test_a_conflict_keeps_line_breaks_of_the_file() -> None:
    result = merge("a\r\nb", "a\r\nx", "a\r\ny")
    assert result.text == f"a\r\n{YOURS}\r\nx\r\n=======\r\ny\r\n{GENERATED}\r\n"


LINE_BREAKS = {
    # base, yours, generated, merged
    "your editor changed them": ("a\nb\nc\n", "a\r\nb\r\nx\r\n", "y\nb\nc\n", "y\r\nb\r\nx\r\n"),
    "the original changed them": ("a\nb\nc\n", "a\nb\nx\n", "y\r\nb\r\nc\r\n", "y\r\nb\r\nx\r\n"),
    "all have the same": ("a\r\nb\r\nc\r\n", "a\r\nb\r\nx\r\n", "y\r\nb\r\nc\r\n", "y\r\nb\r\nx\r\n"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("base", "yours", "generated", "merged"), LINE_BREAKS.values(), ids=LINE_BREAKS
)
def test_other_line_breaks_are_no_change_of_lines(
    base: str, yours: str, generated: str, merged: str
) -> None:
    result = merge(base, yours, generated)
    assert result.text == merged
    assert result.conflicts == ()


def test_a_text_with_several_kinds_of_line_breaks_keeps_each() -> None:
    assert merge("a\r\nb\nc\n", "a\r\nb\nc\nd\n", "x\r\nb\nc\n").text == "x\r\nb\nc\nd\n"


@given(TEXTS, TEXTS)
def test_a_side_that_changed_nothing_gives_way(base: str, other: str) -> None:
    assert merge(base, base, other).text == other
    assert merge(base, other, base).text == other
    assert merge(base, other, other).text == other


@given(TEXTS, TEXTS, TEXTS)
def test_no_line_that_one_side_added_is_lost(base: str, yours: str, generated: str) -> None:
    result = merge(base, yours, generated)
    for side in (yours, generated):
        for line in set(side.splitlines()) - set(base.splitlines()):
            assert line in result.text.splitlines()


@given(TEXTS, TEXTS, TEXTS)
def test_conflicts_are_where_the_markers_are(base: str, yours: str, generated: str) -> None:
    result = merge(base, yours, generated)
    marked = [number for number, line in enumerate(result.text.splitlines(), 1) if line == YOURS]
    assert marked == list(result.conflicts)


def test_clean_merges_are_those_of_git(tmp_path: Path) -> None:
    base = lines(" ".join(f"line{number}" for number in range(40)))
    yours = base.replace("line3\n", "mine\n").replace("line20\n", "")
    generated = base.replace("line10\n", "line10\nnew\n").replace("line35\n", "theirs\n")
    for name, text in (("yours", yours), ("base", base), ("generated", generated)):
        (tmp_path / name).write_text(text)
    merged = subprocess.run(
        ["git", "merge-file", "-p", "yours", "base", "generated"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert merge(base, yours, generated).text == merged.stdout
