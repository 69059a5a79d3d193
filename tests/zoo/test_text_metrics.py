"""The metrics of the guides, with their traps, and the stricter ones beside them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

torch = pytest.importorskip("torch")

from ascendify.zoo.text import charset  # noqa: E402
from ascendify.zoo.text.metrics import SignMetrics, WordMetrics  # noqa: E402

WORDS = charset.crnn()


def classes(texts: list[str], length: int = 8) -> Any:
    return torch.tensor([WORDS.encode(text, length) for text in texts])


def counted(metrics: Any, read: list[str], labels: list[str], batch: int = 3) -> dict[str, float]:
    """In batches, the last filled up with samples that are wrong, as an evaluation does."""
    for start in range(0, len(read), batch):
        mine, theirs = read[start : start + batch], labels[start : start + batch]
        filling = batch - len(mine)
        metrics.update(
            classes(mine + ["wrong"] * filling),
            {"labels": classes(theirs + ["label"] * filling)},
            torch.tensor([True] * len(mine) + [False] * filling),
        )
    return dict(metrics.compute(metrics.sums()))


# per_char, full_sequence, seq_distance, cer
@pytest.mark.parametrize(
    ("read", "label", "expected"),
    [
        ("abc", "abc", (1, 1, 0, 0)),
        ("abd", "abc", (2 / 3, 0, 1 / 3, 1 / 3)),
        ("abcde", "abc", (1, 0, 2 / 3, 2 / 3)),  # characters past the end are free in per_char
        ("ab", "abc", (2 / 3, 0, 1 / 3, 1 / 3)),  # those missing are not
        ("bc", "abc", (0, 0, 1 / 3, 1 / 3)),  # one edit, and no place is right
        ("", "abc", (0, 0, 1, 1)),
        ("xyzxyz", "abc", (0, 0, 2, 2)),  # distances go past 1
        ("", "", (1, 1, 0, 0)),
        ("a", "", (0, 0, 1, 1)),
    ],
)
def test_words(read: str, label: str, expected: tuple[float, ...]) -> None:
    found = counted(WordMetrics(WORDS.null), [read], [label])
    assert found.pop("samples") == 1
    assert tuple(found.values()) == pytest.approx(expected)
    assert list(found) == ["per_char", "full_sequence", "seq_distance", "cer"]


def test_means_are_over_samples_not_batches() -> None:
    """Three right and one wrong, in batches of three: 3/4, not (1 + 0) / 2."""
    found = counted(WordMetrics(WORDS.null), ["a", "b", "c", "x"], ["a", "b", "c", "wxyz"])
    assert found == {
        "samples": 4,
        "per_char": 0.75,
        "full_sequence": 0.75,
        "seq_distance": 0.75 / 4,  # edits over the label's length, each sample the same weight
        "cer": 3 / 7,  # edits over characters, each character the same weight
    }


# character_accuracy, sequence_accuracy, sequence_accuracy_strict; _ is the null
@pytest.mark.parametrize(
    ("read", "label", "expected"),
    [
        ("abc__", "abc__", (1, 1, 1)),
        ("abcde", "abc__", (1, 1, 0)),  # text past the end of the label is no error upstream
        ("abc_d", "abc__", (1, 1, 1)),  # after the null nothing is read
        ("abx__", "abc__", (2 / 3, 0, 0)),
        ("ab___", "abc__", (2 / 3, 0, 0)),
        ("a_c__", "abc__", (2 / 3, 0, 0)),  # counted where it stands, though it is not read
        ("bc___", "abc__", (0, 0, 0)),
        ("abcde", "abcde", (1, 1, 1)),
        ("_____", "_____", (0, 1, 1)),  # an empty label has no characters to be right
        ("a____", "_____", (0, 1, 0)),
    ],
)
def test_signs(read: str, label: str, expected: tuple[float, ...]) -> None:
    read_classes, label_classes = (
        torch.tensor([["abcdex_".index(symbol) for symbol in text]]) for text in (read, label)
    )
    metrics = SignMetrics(null=6)
    metrics.update(read_classes, {"labels": label_classes}, torch.tensor([True]))
    found = metrics.compute(metrics.sums())
    assert found.pop("samples") == 1
    assert tuple(found.values()) == pytest.approx(expected)
    assert list(found) == ["character_accuracy", "sequence_accuracy", "sequence_accuracy_strict"]


def test_an_empty_label_does_not_weigh_on_characters() -> None:
    found = counted(SignMetrics(WORDS.null), ["ab", "", "x", "cd"], ["ab", "", "", "cx"])
    assert found == {
        "samples": 4,
        "character_accuracy": 0.75,  # of the two that have characters
        "sequence_accuracy": 0.75,
        "sequence_accuracy_strict": 0.5,
    }


@pytest.mark.parametrize("kind", [WordMetrics, SignMetrics])
def test_no_samples(kind: Any) -> None:
    metrics = kind(WORDS.null)
    assert set(metrics.compute(metrics.sums()).values()) == {0.0}


TEXTS = st.lists(st.tuples(*[st.text(alphabet="ab01", max_size=8)] * 2), min_size=1, max_size=9)


@given(TEXTS, st.integers(0, 9))
@pytest.mark.parametrize("kind", [WordMetrics, SignMetrics])
def test_ranks_add_up(kind: Any, pairs: list[tuple[str, str]], cut: int) -> None:
    """What two ranks have counted of a set, added, is what one counts of all of it."""
    ranks = [kind(WORDS.null), kind(WORDS.null)]
    for rank, part in zip(ranks, (pairs[:cut], pairs[cut:])):
        counted(rank, [read for read, _ in part], [label for _, label in part], batch=2)
    whole = kind(WORDS.null)
    expected = counted(whole, [read for read, _ in pairs], [label for _, label in pairs])
    assert whole.compute(ranks[0].sums() + ranks[1].sums()) == pytest.approx(expected)


@settings(max_examples=50)
@given(TEXTS.filter(lambda pairs: any(label for _, label in pairs)))
def test_cer_is_torchmetrics(pairs: list[tuple[str, str]]) -> None:
    text = pytest.importorskip("torchmetrics.text")
    read, labels = [read for read, _ in pairs], [label for _, label in pairs]
    theirs = text.CharErrorRate()(read, labels).item()
    ours = counted(WordMetrics(WORDS.null), read, labels)["cer"]
    assert ours == pytest.approx(theirs, rel=1e-6)
