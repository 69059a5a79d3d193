"""Photos in TFRecord files: ImageNet as its build script writes it, flowers as TFDS writes them."""

from __future__ import annotations

from pathlib import Path

from ascendify.errors import UsageError
from ascendify.zoo.recipe import Split
from ascendify.zoo.records import (
    FlowerExample,
    ImageNetExample,
    RecordExamples,
    RecordFiles,
    find_shards,
)
from ascendify.zoo.sets.photos import EncodedPhoto

IMAGENET_CLASSES = 1001
"""A background, which no photo has, and the thousand."""
_IMAGENET = {"train": "train", "test": "validation"}
_FLOWERS = "tf_flowers-train.tfrecord"
_FLOWER_NAMES = ("dandelion", "daisy", "tulips", "sunflowers", "roses")
_FOR_TRAINING = 0.85
"""Share of the flowers, from the first, as the guide divides them."""


class ImageNetRecords:
    """The stored photos of a split of ImageNet."""

    def __init__(self, folder: Path, split: Split) -> None:
        files = find_shards(folder, _IMAGENET[split])
        self._examples = RecordExamples(ImageNetExample, RecordFiles(files))
        self.classes = tuple(map(str, range(IMAGENET_CLASSES)))

    def __len__(self) -> int:
        return len(self._examples)

    def __getitem__(self, index: int) -> EncodedPhoto:
        """Read a photo's record."""
        example = self._examples[index]
        place = str(self._examples.records.place(index))
        if not 0 <= example.label < IMAGENET_CLASSES:
            raise UsageError(
                f"{place}: class {example.label}, where 0 to {IMAGENET_CLASSES - 1} belong",
                "write the records with ImageNet's build script",
            )
        return EncodedPhoto(example.encoded, example.label, place)


class FlowerRecords:
    """The stored photos of a split of tf_flowers, which has records for training only."""

    def __init__(self, folder: Path, split: Split) -> None:
        files = find_shards(folder, _FLOWERS)
        self._examples = RecordExamples(FlowerExample, RecordFiles(files))
        first = round(len(self._examples) * _FOR_TRAINING)
        every = range(len(self._examples))
        self._chosen = every[:first] if split == "train" else every[first:]
        self.classes = _label_names(folder)

    def __len__(self) -> int:
        return len(self._chosen)

    def __getitem__(self, index: int) -> EncodedPhoto:
        """Read a photo's record."""
        number = self._chosen[index]
        example = self._examples[number]
        place = str(self._examples.records.place(number))
        if not 0 <= example.label < len(self.classes):
            raise UsageError(
                f"{place}: class {example.label}, where 0 to {len(self.classes) - 1} belong",
                "prepare tf_flowers again with TensorFlow Datasets",
            )
        return EncodedPhoto(example.image, example.label, place)


def has_imagenet(folder: Path) -> bool:
    """Whether a folder has record files of ImageNet."""
    return any(folder.glob(f"{_IMAGENET['train']}-*-of-*"))


def has_flowers(folder: Path) -> bool:
    """Whether a folder has record files of tf_flowers."""
    return any(folder.glob(f"{_FLOWERS}-*-of-*"))


def _label_names(folder: Path) -> tuple[str, ...]:
    """Return the names of the classes: those beside the records, else those of release 3.0.1."""
    named = folder / "label.labels.txt"
    if not named.is_file():
        return _FLOWER_NAMES
    return tuple(named.read_text(encoding="utf-8").split())
