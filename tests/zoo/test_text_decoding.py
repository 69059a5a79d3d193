"""From logits to texts: tables, a loop that is plainly right, and all strings there are."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from ascendify.zoo.text.decoding import attention, ctc_greedy  # noqa: E402


def logits_of(*paths: str, sure: float = 9.0) -> Any:
    """Logits [T,B,C] over a, b and the blank _, whose best paths these are."""
    classes = torch.tensor([["ab_".index(symbol) for symbol in path] for path in paths])
    return torch.nn.functional.one_hot(classes, 3).float().transpose(0, 1) * sure


@pytest.mark.parametrize(
    ("path", "merged", "unmerged"),
    [
        ("___", "", ""),
        ("aaa", "a", "aaa"),
        ("a_a", "aa", "aa"),  # a blank between keeps both
        ("aab", "ab", "aab"),
        ("_ab", "ab", "ab"),
        ("b__", "b", "b"),
        ("aa_ab_bb", "aabb", "aaabbb"),
    ],
)
def test_greedy(path: str, merged: str, unmerged: str) -> None:
    for text, merge in ((merged, True), (unmerged, False)):
        decoded = ctc_greedy(logits_of(path), blank=2, merge_repeated=merge)
        assert decoded.texts() == [["ab".index(symbol) for symbol in text]]
        assert decoded.classes.tolist()[0][len(text) :] == [2] * (len(path) - len(text))


def test_greedy_of_a_batch_with_lengths() -> None:
    logits = logits_of("ab_ba", "aabba", "_____")
    decoded = ctc_greedy(logits, blank=2, lengths=torch.tensor([3, 4, 0]))
    assert decoded.texts() == [[0, 1], [0, 1], []]
    sure = torch.tensor([9.0, 0, 0]).softmax(0)[0].item()
    expected = torch.tensor([sure**3, sure**4, 1.0])
    torch.testing.assert_close(decoded.confidences, expected)


def naive(path: list[int], blank: int, merge: bool) -> list[int]:
    text, previous = [], None
    for index in path:
        if index != blank and not (merge and index == previous):
            text.append(index)
        previous = index
    return text


@given(
    st.integers(1, 9).flatmap(
        lambda steps: st.lists(
            st.lists(st.integers(0, 3), min_size=steps, max_size=steps), min_size=1, max_size=4
        )
    ),
    st.integers(0, 3),
    st.booleans(),
)
def test_greedy_is_the_plain_loop(paths: list[list[int]], blank: int, merge: bool) -> None:
    logits = torch.nn.functional.one_hot(torch.tensor(paths), 4).float().transpose(0, 1)
    decoded = ctc_greedy(logits, blank, merge)
    assert decoded.texts() == [naive(path, blank, merge) for path in paths]


# classes a, b and null; each position's likeliest has probability .8
@pytest.mark.parametrize(
    ("path", "text", "classes"),
    [
        ("ab__", "ab", "ab__"),
        ("abab", "abab", "abab"),
        ("____", "", "____"),
        ("a_b_", "a", "a___"),  # cut at the first null
        ("_abb", "", "____"),
    ],
)
def test_attention(path: str, text: str, classes: str) -> None:
    decoded = attention(logits_of(path, sure=math.log(8)).transpose(0, 1), null=2)
    assert decoded.texts() == [["ab".index(symbol) for symbol in text]]
    assert decoded.classes.tolist() == [["ab_".index(symbol) for symbol in classes]]
    assert decoded.lengths.tolist() == [len(text)]
    # of as many probabilities as there are characters, and that of the null where there is one
    places = min(len(text) + 1, len(path))
    assert decoded.confidences.item() == pytest.approx(0.8 ** (places / (len(text) + 1)))
