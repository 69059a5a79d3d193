"""Pictures with a class, wherever they come from: one folder, several known forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from ascendify.errors import UsageError
from ascendify.zoo.recipe import Split
from ascendify.zoo.sets import cifar, class_folders, photo_records
from ascendify.zoo.sets.digit_scans import DigitScans
from ascendify.zoo.sets.photos import Cut, PhotoFiles, Photos

_KNOWN = (
    "a folder of pictures for each class, the files of CIFAR-10 or CIFAR-100, ImageNet's"
    " train-00000-of-01024, or TFDS's tf_flowers"
)


class ClassifiedPictures(Protocol):
    """Samples of a split with ``images`` and ``labels``, and the names of the classes."""

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes, by their numbers."""
        ...

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> Mapping[str, Any]: ...


def open_pictures(folder: Path | None, split: Split, cut: Cut, seed: int) -> ClassifiedPictures:
    """Open the samples of a split in a folder of a known form; without one, scanned digits.

    Raises:
        UsageError: the folder has no known form, or its files cannot be read.
    """
    if folder is None:
        return DigitScans(split, cut.side)
    version = cifar.find_version(folder)
    if version is not None:
        return cifar.Cifar(folder, version, split)
    return Photos(_photo_files(folder, split), split, cut, seed)


def _photo_files(folder: Path, split: Split) -> PhotoFiles:
    if photo_records.has_imagenet(folder):
        return photo_records.ImageNetRecords(folder, split)
    if photo_records.has_flowers(folder):
        return photo_records.FlowerRecords(folder, split)
    if class_folders.has_classes(folder):
        return class_folders.ClassFolders(folder, split)
    names = sorted(path.name for path in folder.iterdir())
    found = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    raise UsageError(
        f"--data {folder} has no pictures in a known form: it has {found or 'nothing'}",
        f"known are {_KNOWN}",
    )


class FewPictures:
    """Some pictures of each class of a training set, drawn once: for learning from few examples."""

    def __init__(self, pictures: ClassifiedPictures, each: int, seed: int) -> None:
        self._pictures = pictures
        self.classes = pictures.classes
        self.varies = bool(getattr(pictures, "varies", False))
        labels = _labels(pictures)
        order = np.random.default_rng(seed).permutation(len(labels))
        chosen = [order[labels[order] == label][:each] for label in range(len(self.classes))]
        self._chosen = np.sort(np.concatenate(chosen))

    def __len__(self) -> int:
        return len(self._chosen)

    def __getitem__(self, index: int) -> Mapping[str, Any]:
        """Return a picture; a number past the last one is of a later epoch."""
        epoch, number = divmod(index, len(self))
        return self._pictures[epoch * len(self._pictures) + int(self._chosen[number])]


def _labels(pictures: ClassifiedPictures) -> Any:
    """Return the labels of a set, read from its samples where it does not keep them."""
    known = getattr(pictures, "labels", None)
    if known is None:
        known = [int(pictures[number]["labels"]) for number in range(len(pictures))]
    return np.asarray(known)


@dataclass(frozen=True)
class SyntheticPictures:
    """Noise with random classes, to measure speed: ``images`` [side, side, 3] and ``labels``."""

    size: int
    side: int
    classes: tuple[str, ...]
    seed: int

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, index: int) -> Mapping[str, Any]:
        """Return noise around the middle of the colours, cut off at two deviations."""
        rng = np.random.default_rng((self.seed, range(self.size)[index]))
        noise = rng.standard_normal((self.side, self.side, 3), np.float32).clip(-2, 2)
        picture = (noise * 60 + 127).round().clip(0, 255).astype(np.uint8)
        return {"images": picture, "labels": np.int64(rng.integers(len(self.classes)))}
