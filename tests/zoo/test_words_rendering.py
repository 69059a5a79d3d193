"""Rendered words: what they depend on, and that something can be read."""

from __future__ import annotations

import pickle
import subprocess
import sys
from hashlib import sha256

import numpy as np
import pytest

pytest.importorskip("PIL")

from ascendify.zoo.rendering.backgrounds import contrasting_colour, luma, random_colour
from ascendify.zoo.rendering.fonts import LATIN, SHIPPED, find_faces
from ascendify.zoo.rendering.lexicon import Lexicon
from ascendify.zoo.rendering.words import WordStyle, render_word
from ascendify.zoo.sets.rendered import RenderedWords, Split

WORDS = ("if", "word", "reading", "understanding", "characteristically")

SCRIPT = """
import sys
from test_words_rendering import fingerprint, samples
print(fingerprint(samples(sys.argv[1]), [int(number) for number in sys.argv[2:]]))
"""


def samples(split: Split = "train", seed: int = 1, size: int = 1000) -> RenderedWords:
    words = Lexicon(WORDS, split, "a table")
    return RenderedWords(split, size, seed, find_faces(LATIN, [SHIPPED]), words)


def fingerprint(drawn: RenderedWords, numbers: list[int]) -> str:
    return sha256(b"".join(drawn.record(number) for number in numbers)).hexdigest()


@pytest.mark.parametrize("word", WORDS)
def test_a_picture_is_of_one_size_and_something_is_on_it(word: str) -> None:
    faces = find_faces(LATIN, [SHIPPED])
    for number in range(40):
        picture = render_word(WordStyle(), faces, word, np.random.default_rng(number))
        assert picture.shape == (32, 100, 3)
        assert picture.dtype == np.uint8
        assert picture.astype(float).mean(2).std() > 5


def test_words_are_usually_as_hard_to_read_as_synth90ks() -> None:
    style = WordStyle()
    assert (min(style.capitals), max(style.capitals)) == (24, 40)
    assert (style.contrast, style.tilt, style.blur) == (60, (0.06, 0.15), 1.2)
    assert (style.noise, style.quality) == (12, (30, 95))


def test_letters_stand_out() -> None:
    rng = np.random.default_rng(1)
    for _ in range(300):
        ground = random_colour(rng)
        assert abs(luma(contrasting_colour(rng, ground, 60)) - luma(ground)) >= 60


def test_a_sample_is_its_seed_split_and_number_in_any_process() -> None:
    numbers = [7, 3, 999]
    here = fingerprint(samples("test"), numbers)
    for hash_seed in ("1", "2"):
        there = subprocess.run(
            [sys.executable, "-c", SCRIPT, "test", *map(str, numbers)],
            env={"PYTHONPATH": ":".join(sys.path), "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert there.stdout.strip() == here, there.stderr


@pytest.mark.parametrize(
    "other", [samples("train", 2), samples("test", 1)], ids=["other seed", "other split"]
)
def test_other_seeds_and_splits_are_other_samples(other: RenderedWords) -> None:
    assert fingerprint(other, [5]) != fingerprint(samples(), [5])


def test_a_sample_does_not_depend_on_how_many_there_are() -> None:
    assert fingerprint(samples(size=10), [5]) == fingerprint(samples(size=1000), [5])


def test_samples_for_training() -> None:
    data = samples("train", size=20)
    assert len(data) == 20
    for index in range(20):
        sample = data[index]
        picture, word = data.draw(index)
        assert sample["images"].tobytes() == picture.tobytes()
        assert sample["labels"].shape == (23,)
        assert sample["lengths"] == len(word)
        letters = "0123456789abcdefghijklmnopqrstuvwxyz"
        assert [letters[i] for i in sample["labels"][: len(word)]] == list(word)
        assert set(sample["labels"][len(word) :]) == {36}
    assert data[-1]["images"] is data[19]["images"]  # kept, not drawn again
    with pytest.raises(IndexError):
        data[20]


def test_copies_for_other_processes_do_not_carry_pictures() -> None:
    data = samples(size=50)
    for index in range(50):
        data[index]
    pickled = pickle.dumps(data)
    assert len(pickled) < 50 * 1000
    copy = pickle.loads(pickled)
    assert fingerprint(copy, [1, 2]) == fingerprint(data, [1, 2])


@pytest.mark.parametrize(
    "change",
    [
        {"lower": 1.0, "upper": 0.0},
        {"border": 1.0},
        {"shadow": 1.0},
        {"curved": 1.0},
        {"spaced": 1.0},
        {"coarse": 1.0},
        {"tilt": (0.0, 0.0)},
        {"blur": 0.0},
        {"noise": 0.0},
        {"quality": (95, 95)},
        {"capitals": (24,)},
    ],
    ids=str,
)
def test_every_part_of_a_style_is_drawn(change: dict[str, object]) -> None:
    faces = find_faces(LATIN, [SHIPPED])
    usual, other = (
        [
            render_word(style, faces, "reading", np.random.default_rng(number)).tobytes()
            for number in range(12)
        ]
        for style in (WordStyle(), WordStyle(**change))  # type: ignore[arg-type]
    )
    assert usual != other
