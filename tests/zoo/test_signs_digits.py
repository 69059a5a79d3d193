"""Three digits in two views, for Attention-OCR on a CPU."""

from __future__ import annotations

import pickle
from typing import Any, Literal

import numpy as np
import pytest

from ascendify.errors import UsageError
from ascendify.zoo.sets.digits import NULL, SIDE, Digits


@pytest.mark.parametrize(
    ("views", "length", "shape"), [(2, 4, (24, 48, 3)), (3, 6, (24, 72, 3)), (4, 3, (24, 96, 3))]
)
def test_shapes(views: int, length: int, shape: tuple[int, ...]) -> None:
    sample = Digits("train", 5, views=views, length=length)[4]
    assert (sample["images"].shape, str(sample["images"].dtype)) == (shape, "uint8")
    assert (sample["labels"].shape, str(sample["labels"].dtype)) == ((length,), "int64")
    assert (sample["labels"][3:] == NULL).all()
    assert (sample["labels"][:3] < 10).all()


def test_a_sample_belongs_to_its_number() -> None:
    digits = Digits("train", 100)
    again = pickle.loads(pickle.dumps(digits))
    for index in (99, 0, -1):
        assert np.array_equal(digits[index]["images"], again[index]["images"])
    assert not np.array_equal(digits[0]["images"], Digits("train", 100, seed=2)[0]["images"])
    with pytest.raises(IndexError):
        digits[100]


def test_numbers_of_the_test_are_unseen() -> None:
    seen: dict[str, set[tuple[int, ...]]] = {}
    splits: tuple[Literal["train", "test"], ...] = ("train", "test")
    for split in splits:
        data = Digits(split, 1500)
        seen[split] = {tuple(data[index]["labels"].tolist()) for index in range(len(data))}
    assert not seen["train"] & seen["test"]
    assert len(seen["train"]) > 600
    assert len(seen["test"]) > 100


def hidden(view: Any) -> list[int]:
    """The places that show a patch alone: between the noise, one grey."""
    patches = [view[3:-3, 8 * place : 8 * place + 8].astype(float) for place in range(3)]
    return [place for place, patch in enumerate(patches) if patch.std() < 14]


def test_every_view_hides_one_digit_and_two_views_hide_two() -> None:
    data = Digits("train", 200)
    for index in range(len(data)):
        picture = data[index]["images"][..., 0]
        left, right = hidden(picture[:, :SIDE]), hidden(picture[:, SIDE:])
        assert len(left) == len(right) == 1
        assert left != right


@pytest.mark.parametrize(("views", "length"), [(1, 4), (0, 4), (2, 2)])
def test_what_cannot_be_read_is_refused(views: int, length: int) -> None:
    with pytest.raises(UsageError, match=f"{views} views and labels of {length}"):
        Digits("train", 5, views=views, length=length)
