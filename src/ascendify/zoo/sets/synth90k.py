"""Synth90k as it is released: a tree of JPEGs, a lexicon, and a list of pictures for each split.

Some of its pictures are broken. The conversion leaves them out, and reports each by its path.
"""

from __future__ import annotations

import functools
import mmap
import re
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, UnidentifiedImageError

from ascendify.errors import UsageError
from ascendify.zoo.records.datasets import CRNN_SHAPE
from ascendify.zoo.rendering.backgrounds import Array
from ascendify.zoo.sets import crnn_records
from ascendify.zoo.sets.crnn_records import LABELS, ChannelOrder, Split
from ascendify.zoo.sets.generate import DataSetPlan, LeftOut

SPLITS: tuple[Split, ...] = ("train", "val", "test")
LEXICON = "lexicon.txt"
_INSIDE = "mnt/ramdisk/max/90kDICT32px"
"""Folder of the tree in the archive."""
_LABEL = re.compile(r"[0-9a-z]+")
_TRIED = 100
"""Of the first pictures one must exist, or it is the wrong folder."""


@dataclass(frozen=True)
class AnnotatedPictures:
    """The pictures that an annotation file lists, by number.

    Each worker reads the file itself: seven million lines are too many to send to it.
    """

    root: Path
    split: Split
    strict: bool
    channel_order: ChannelOrder

    def __len__(self) -> int:
        return len(_line_ends(self._annotation))

    def record(self, index: int) -> bytes:
        """Return a picture and its word as a record.

        Raises:
            LeftOut: the picture or its label cannot be used.
            UsageError: the same, with ``strict``.
        """
        try:
            name, word = self._entry(index)
            return crnn_records.encode(self._picture(name), word, name, self.channel_order)
        except LeftOut as reason:
            if self.strict:
                raise UsageError(
                    str(reason), "fix it, or leave --strict out to continue without it"
                ) from None
            raise

    def path(self, index: int) -> Path:
        """Return the path of a picture; raises LeftOut if its line has none."""
        return self.root / self._fields(index)[0]

    @property
    def _annotation(self) -> Path:
        return annotation(self.root, self.split)

    def _entry(self, index: int) -> tuple[str, str]:
        """Return the listed path of a picture, and its word."""
        name, row = self._fields(index)
        words = _lexicon(self.root / LEXICON)
        if row >= len(words):
            raise LeftOut(f"{name}: row {row} is beyond {LEXICON}, which has {len(words)} rows")
        word = words[row].lower()
        if not _LABEL.fullmatch(word):
            raise LeftOut(f"{name}: the word {word!r} has other characters than 0-9 and a-z")
        if len(word) > LABELS:
            raise LeftOut(f"{name}: the word {word!r} has {len(word)} letters, more than {LABELS}")
        return name, word

    def _fields(self, index: int) -> tuple[str, int]:
        line = _line(self._annotation, index)
        name, _, row = line.rpartition(" ")
        if not name or not row.isdecimal():
            raise LeftOut(
                f"{self._annotation.name}:{index + 1}: {line!r:.80} is not a path and a lexicon row"
            )
        return name, int(row)

    def _picture(self, name: str) -> Array:
        height, width, _ = CRNN_SHAPE
        try:
            with Image.open(self.root / name) as file:
                picture = file.convert("RGB").resize((width, height), Image.Resampling.BILINEAR)
        except UnidentifiedImageError:
            raise LeftOut(f"{name}: not a picture") from None
        except FileNotFoundError:
            raise LeftOut(f"{name}: no such file") from None
        except (OSError, ValueError, SyntaxError) as error:
            raise LeftOut(f"{name}: cannot be read: {error}") from None
        return np.asarray(picture)


def plan_conversion(folder: Path, *, strict: bool, channel_order: ChannelOrder) -> DataSetPlan:
    """Plan the conversion of a tree to record files: the prepare step of the CRNN guide.

    Raises:
        UsageError: the folder is not such a tree.
    """
    root = find_root(folder)
    splits = [split for split in SPLITS if annotation(root, split).is_file()]
    sources = {
        str(split): AnnotatedPictures(root, split, strict, channel_order) for split in splits
    }
    for source in sources.values():
        _check_some(source)
    counts = {split: len(source) for split, source in sources.items()}
    settings = {
        "set": "synth90k",
        "per_file": crnn_records.PER_FILE,
        "channel_order": channel_order,
        **counts,
        "lexicon": _digest(root / LEXICON),
        "annotations": {split: _digest(annotation(root, split)) for split in splits},
    }
    shards = [shard for split in splits for shard in crnn_records.shards(split, counts[split])]
    return DataSetPlan(settings, sources, shards)


def find_root(folder: Path) -> Path:
    """Find the folder with the lexicon: this one, or the archive's folder inside it.

    Raises:
        UsageError: there is none.
    """
    for root in (folder, folder / _INSIDE, folder / "90kDICT32px"):
        found = [split for split in SPLITS if annotation(root, split).is_file()]
        if found and (root / LEXICON).is_file():
            return root
    raise UsageError(
        f"{folder} has no {LEXICON} with annotation_train.txt, annotation_val.txt or"
        " annotation_test.txt next to it",
        "name the folder of Synth90k that has them, 90kDICT32px",
    )


def annotation(root: Path, split: Split) -> Path:
    """Return the file that lists the pictures of a split."""
    return root / f"annotation_{split}.txt"


def _check_some(source: AnnotatedPictures) -> None:
    tried = range(min(len(source), _TRIED))
    if not tried:
        raise UsageError(f"{annotation(source.root, source.split)} is empty", "copy it again")
    for index in tried:
        try:
            if source.path(index).exists():
                return
        except LeftOut:
            continue
    raise UsageError(
        f"{annotation(source.root, source.split)}: none of the first {len(tried)} lines names a"
        " picture that is there",
        f"lines are like ./2425/1/115_Lube_45484.jpg 45484, pictures below {source.root}",
    )


@functools.lru_cache(maxsize=3)
def _line_ends(path: Path) -> Array:
    """Return the positions of line ends, including a last line without a newline."""
    text = _map_file(path)
    if not len(text):
        return np.empty(0, np.int64)
    ends = np.flatnonzero(np.frombuffer(text, np.uint8) == ord("\n"))
    return ends if text[len(text) - 1] == ord("\n") else np.append(ends, len(text))


def _line(path: Path, number: int) -> str:
    ends = _line_ends(path)
    start = int(ends[number - 1]) + 1 if number else 0
    return bytes(_map_file(path)[start : int(ends[number])]).decode("utf-8", "replace").strip()


@functools.lru_cache(maxsize=3)
def _map_file(path: Path) -> Any:
    with path.open("rb") as file:
        if not path.stat().st_size:
            return b""  # nothing to map
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


@functools.lru_cache(maxsize=1)
def _lexicon(path: Path) -> list[str]:
    return path.read_text("utf-8", "replace").splitlines()


def _digest(path: Path) -> str:
    whole = blake2b(digest_size=8)
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            whole.update(piece)
    return whole.hexdigest()
