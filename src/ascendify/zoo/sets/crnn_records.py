"""The record files of the CRNN guide: ``tfrecords/{train,val,test}_<k>.tfrecords``.

The folder ``char_dict/`` next to them has the pair of files that map characters to classes.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Optional

import numpy as np

from ascendify.errors import UsageError
from ascendify.zoo.records import CrnnExample, RecordExamples, RecordFiles, to_record
from ascendify.zoo.records.datasets import CRNN_SHAPE
from ascendify.zoo.rendering.backgrounds import Array
from ascendify.zoo.sets.generate import Shard, make_shards, read_manifest
from ascendify.zoo.text import charset

ChannelOrder = Literal["RGB", "BGR"]
"""Order of a pixel's three bytes: Pillow's, or that of OpenCV, which upstream uses."""
Split = Literal["train", "val", "test"]
LABELS = 23
"""Classes of a padded label: the longest word of Synth90k."""
PER_FILE = 5000
FOLDER = "tfrecords"
_NAME = re.compile(r"(train|val|test)_(\d+)\.tfrecords")


def encode(picture: Array, word: str, path: str, order: ChannelOrder = "RGB") -> bytes:
    """Encode a word as a record; the picture is RGB, ``order`` is that of the record."""
    pixels = picture if order == "RGB" else picture[..., ::-1]
    labels = tuple(_classes().encode(word))
    return to_record(CrnnExample(pixels.tobytes(), path.encode(), labels, len(labels)))


def sample(picture: Array, word: str) -> dict[str, Any]:
    """Return a word as a training sample, its label padded with the blank."""
    return _sample(picture, _classes().encode(word))


def shards(split: Split, count: int) -> list[Shard]:
    """Plan the files of a split, with the guide's names, numbered from 1."""
    files = -(-count // PER_FILE)
    return make_shards(split, count, files, lambda k: f"{FOLDER}/{split}_{k}.tfrecords", first=1)


def write_charset(folder: Path) -> None:
    """Write the pair of files that the guide's scripts need for ``--char_dict_path`` and so on."""
    pair = folder / "char_dict"
    try:
        pair.mkdir(parents=True, exist_ok=True)
        charset.write_crnn(_classes(), pair / "char_dict.json", pair / "ord_map.json")
    except OSError as error:
        raise UsageError(
            f"{pair} cannot be written: {error.strerror}",
            "name a folder you may write to, with room for the set",
        ) from error


class CrnnRecords:
    """Samples of record files by number: ``images`` RGB, ``labels`` padded, ``lengths``."""

    def __init__(self, files: RecordFiles, order: ChannelOrder, classes: charset.Charset) -> None:
        self._examples = RecordExamples(CrnnExample, files)
        self._order = order
        self._classes = classes

    def __len__(self) -> int:
        return len(self._examples)

    def __getitem__(self, index: int) -> Mapping[str, Any]:
        """A sample.

        Raises:
            RecordError: the record is damaged.
            UsageError: the label does not belong to this character set.
        """
        example = self._examples[index]
        picture = np.frombuffer(example.images, np.uint8).reshape(CRNN_SHAPE)
        labels = self._own(self._label(index, example))
        return _sample(picture if self._order == "RGB" else picture[..., ::-1].copy(), labels)

    def text(self, index: int) -> str:
        """Return the word of a sample."""
        return self._classes.decode(self._label(index, self._examples[index]))

    def _own(self, labels: tuple[int, ...]) -> list[int]:
        """Convert labels to the network's classes: a data set may order its classes differently."""
        if self._classes.symbols == _classes().symbols:
            return list(labels)
        return _classes().encode(self._classes.decode(labels))

    def _label(self, index: int, example: CrnnExample) -> tuple[int, ...]:
        """Return the label of a record up to its stored length, as the guide's loss does.

        Raises:
            UsageError: it does not belong to this character set.
        """
        stored, length = example.labels, example.labels_length
        labels = stored if length is None else stored[:length]
        wrong = [label for label in labels if not 0 <= label < self._classes.null]
        if length not in (None, len(labels)):
            found = f"a length of {length} for {len(stored)} labels"
        elif wrong:
            found = f"class {wrong[0]}"
        elif not 0 < len(labels) <= LABELS:
            found = f"{len(labels)} labels"
        else:
            return labels
        raise UsageError(
            f"{self._examples.records.place(index)}: {found}, where 1 to {LABELS} classes below"
            f" {self._classes.null} belong",
            "is it a record file of words, written with the char_dict next to it?",
        )


def read_crnn(folder: Path, split: Split, order: Optional[ChannelOrder] = None) -> CrnnRecords:
    """Open the samples of a split, in a folder written by the guide's prepare step or by ours.

    Args:
        folder: The folder that has ``tfrecords``.
        split: Which files.
        order: Order of the channels in the files; by default that of the manifest, else RGB.

    Raises:
        UsageError: there are no such files, or some are missing.
    """
    manifest = read_manifest(folder)
    files = find_files(folder, split)
    if manifest is not None:
        _check_complete(folder, split, files, manifest)
        order = order or manifest["settings"].get("channel_order")
    return CrnnRecords(RecordFiles(files), order or "RGB", _stored_classes(folder))


def find_files(folder: Path, split: Split) -> list[Path]:
    """Find the files of a split, in the order of their numbers.

    Raises:
        UsageError: there is none, or a number is missing.
    """
    inside = folder / FOLDER
    try:
        names = [path.name for path in inside.iterdir()]
    except OSError as error:
        raise UsageError(
            f"{inside} cannot be read: {error.strerror}",
            f"name the folder that has {FOLDER}/; ascendify zoo data crnn makes one",
        ) from error
    found = {
        int(match[2]): inside / match[0]
        for match in map(_NAME.fullmatch, names)
        if match and match[1] == split
    }
    if not found:
        raise UsageError(
            f"{inside} has no files {split}_<number>.tfrecords",
            "ascendify zoo data crnn makes them",
        )
    gap = next((k for k in range(min(found), max(found)) if k not in found), None)
    if gap is not None:
        raise UsageError(
            f"{inside} has {split}_{min(found)} to {split}_{max(found)}, but no {split}_{gap}",
            "copy or make what is missing",
        )
    return [found[number] for number in sorted(found)]


def _check_complete(
    folder: Path, split: Split, files: list[Path], manifest: Mapping[str, Any]
) -> None:
    there = {f"{FOLDER}/{path.name}" for path in files}
    wanted = [name for name in manifest.get("files", ()) if f"/{split}_" in name]
    missing = [name for name in wanted if name not in there]
    if missing:
        raise UsageError(
            f"{folder} has {len(wanted) - len(missing)} of {len(wanted)} files of {split}:"
            f" {missing[0]} is missing",
            "run ascendify zoo data crnn again as before: it makes what is missing",
        )


def _sample(picture: Array, classes: list[int]) -> dict[str, Any]:
    labels = np.full(LABELS, _classes().null, np.int64)
    labels[: len(classes)] = classes
    return {"images": picture, "labels": labels, "lengths": np.int64(len(classes))}


def _stored_classes(folder: Path) -> charset.Charset:
    pair = folder / "char_dict"
    if not (pair / "char_dict.json").exists():
        return _classes()
    return charset.read_crnn(pair / "char_dict.json", pair / "ord_map.json")


@functools.lru_cache(maxsize=1)
def _classes() -> charset.Charset:
    return charset.crnn()
