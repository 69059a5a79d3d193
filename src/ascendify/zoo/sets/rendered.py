"""Rendered words by number, drawn on access.

A sample depends on its seed, split and number alone. Words and font families of the test are in no
training sample.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Optional

import numpy as np

from ascendify.zoo.rendering import fonts, lexicon
from ascendify.zoo.rendering.backgrounds import Array
from ascendify.zoo.rendering.fonts import Faces
from ascendify.zoo.rendering.lexicon import Lexicon
from ascendify.zoo.rendering.words import WordStyle, render_word
from ascendify.zoo.sets import crnn_records
from ascendify.zoo.sets.crnn_records import ChannelOrder, encode, sample
from ascendify.zoo.sets.generate import DataSetPlan

Split = Literal["train", "test"]
STYLE = WordStyle()
DRAWING = 1
"""Version of the drawing code; another version draws other samples for the same numbers."""
_KEPT = 50_000
"""Number of drawn samples kept in memory: half a gigabyte."""


@dataclass(frozen=True)
class RenderedWords:
    """The samples of a split, for training and for record files."""

    split: Split
    size: int
    seed: int
    faces: Faces
    words: Lexicon
    style: WordStyle = STYLE
    channel_order: ChannelOrder = "RGB"
    """Channel order of records; samples for training are RGB."""
    _drawn: dict[int, tuple[Array, str]] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Mapping[str, Any]:
        """Return a sample for training: ``images``, ``labels``, ``lengths``."""
        index = range(self.size)[index]
        if index not in self._drawn and len(self._drawn) < _KEPT:
            self._drawn[index] = self.draw(index)
        return sample(*(self._drawn.get(index) or self.draw(index)))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for the user on the list of words."""
        return self.words.notes

    def draw(self, index: int) -> tuple[Array, str]:
        """Draw a sample; return the picture and its word."""
        rng = np.random.default_rng([self.seed, self.split == "test", index])
        word = self.words.pick(rng)
        return render_word(self.style, self.faces, word, rng), word

    def record(self, index: int) -> bytes:
        """Return a sample as a record."""
        picture, word = self.draw(index)
        return encode(picture, word, f"{self.split}/{index}_{word}", self.channel_order)

    def __reduce__(self) -> tuple[Any, ...]:
        # drawn samples are not sent to other processes
        values = (getattr(self, field.name) for field in dataclasses.fields(self)[:-1])
        return type(self), tuple(values)


def open_words(
    split: Split,
    size: int,
    seed: int,
    *,
    font_folders: Sequence[Path] = (),
    word_file: Optional[Path] = None,
    style: WordStyle = STYLE,
    channel_order: ChannelOrder = "RGB",
) -> RenderedWords:
    """Open the samples of a split, with fonts and words of this machine or of the user.

    Raises:
        UsageError: fonts or words cannot be read, or are too few for two splits.
    """
    words = _lexicon(split, word_file)
    faces = fonts.split_faces(_faces(tuple(font_folders)), split)
    return RenderedWords(split, size, seed, faces, words, style, channel_order)


def plan_rendered(train: RenderedWords, test: RenderedWords) -> DataSetPlan:
    """Plan the record files of the two splits."""
    settings = {
        "set": "crnn",
        "per_file": crnn_records.PER_FILE,
        "train": len(train),
        "test": len(test),
        "seed": train.seed,
        "channel_order": train.channel_order,
        "style": dataclasses.asdict(train.style),
        "drawing": DRAWING,
        "words": f"{train.words.source} {lexicon.digest(train.words.words + test.words.words)}",
        "fonts": f"{len(train.faces)} and {len(test.faces)}"
        f" {fonts.digest((*train.faces, *test.faces))}",
    }
    shards = [*crnn_records.shards("train", len(train)), *crnn_records.shards("test", len(test))]
    return DataSetPlan(settings, {"train": train, "test": test}, shards)


@functools.lru_cache(maxsize=4)
def _faces(folders: tuple[Path, ...]) -> Faces:
    return fonts.find_faces(fonts.LATIN, folders)


@functools.lru_cache(maxsize=4)
def _lexicon(split: Split, file: Optional[Path]) -> Lexicon:
    found = _words(file)
    return lexicon.split_words(found.words, split, found.source, found.notes)


@functools.lru_cache(maxsize=2)
def _words(file: Optional[Path]) -> lexicon.WordList:
    return lexicon.find_words(file)
