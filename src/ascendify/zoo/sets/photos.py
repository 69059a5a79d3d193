"""Photos of any size as samples of one size: cut out at random for training, in the middle else.

The cut of a sample depends on the seed, the epoch and the sample alone, so that a resumed run
sees the same pictures. A JPEG is decoded no larger than its cut needs.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from PIL import Image, ImageOps

from ascendify.errors import UsageError
from ascendify.zoo.picture_files import on_white
from ascendify.zoo.recipe import Split

_TRIES = 10
"""Cuts that are drawn before the middle of the photo is taken."""


class EncodedPhoto(NamedTuple):
    """A photo as it is stored."""

    content: bytes
    label: int
    place: str
    """Its file, or its record, for error messages."""


class PhotoFiles(Protocol):
    """Stored photos by number.


    An optional attribute ``labels`` has those of all photos.
    """

    classes: tuple[str, ...]

    def __len__(self) -> int: ...

    def __getitem__(self, index: int) -> EncodedPhoto: ...


@dataclass(frozen=True)
class Cut:
    """How a photo becomes a square picture."""

    side: int
    """Pixels of the picture's side."""
    short_side: int
    """Pixels of the photo's shorter side before the middle is cut out, in evaluations."""
    least_area: float
    """Share of the photo that a training cut has at least."""
    squash: bool = False
    """Whether a photo is first made square, of ``short_side``; a training cut is then a window of
    that square, not a part of any size."""
    widest: float = 4 / 3
    """A training cut's width to its height, at most, and at least the inverse."""


Box = tuple[float, float, float, float]


class Photos:
    """Samples of a split: ``images`` [side, side, 3] and ``labels``."""

    def __init__(self, files: PhotoFiles, split: Split, cut: Cut, seed: int) -> None:
        self._files = files
        self._cut = cut
        self._seed = seed
        self.classes = files.classes
        self.labels = getattr(files, "labels", None)
        self.varies = split == "train"
        """Whether a sample is another picture in every epoch."""

    def __len__(self) -> int:
        return len(self._files)

    def __getitem__(self, index: int) -> Mapping[str, Any]:
        """Return a picture; a number past the last sample is of a later epoch.

        Raises:
            UsageError: it cannot be read.
        """
        epoch, number = divmod(index, len(self))
        photo = self._files[number]
        rng = np.random.default_rng((self._seed, epoch, number)) if self.varies else None
        return {"images": cut_photo(photo, self._cut, rng), "labels": np.int64(photo.label)}


def cut_photo(photo: EncodedPhoto, cut: Cut, rng: np.random.Generator | None = None) -> Any:
    """Decode a photo and cut a picture out, uint8 [side, side, 3]: the middle without ``rng``."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(io.BytesIO(photo.content)) as opened:
                return _cut(opened, cut, rng)
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        raise UsageError(
            f"{photo.place} cannot be read: it is not a picture, or damaged",
            "take it out of the data, or copy it again",
        ) from error


def _cut(opened: Image.Image, cut: Cut, rng: np.random.Generator | None) -> Any:
    turned = opened.getexif().get(_ORIENTATION, 1) > _LAST_UPRIGHT
    size = opened.size[::-1] if turned else opened.size
    box = middle(size, cut) if rng is None else random_box(size, cut, rng)
    scale = min(box[2] - box[0], box[3] - box[1]) / cut.side
    if scale >= 2 and not turned:
        # decode at a half, a quarter or an eighth: never smaller than the cut
        opened.draft("RGB", (math.ceil(size[0] / scale), math.ceil(size[1] / scale)))
    decoded = on_white(ImageOps.exif_transpose(opened))
    x, y = decoded.width / size[0], decoded.height / size[1]
    box = (box[0] * x, box[1] * y, min(box[2] * x, decoded.width), min(box[3] * y, decoded.height))
    resized = decoded.resize((cut.side, cut.side), Image.Resampling.BILINEAR, box)
    return np.asarray(resized)


_ORIENTATION = 0x0112
_LAST_UPRIGHT = 4
"""EXIF orientations past it swap width and height."""


def middle(size: tuple[int, int], cut: Cut) -> Box:
    """Return the middle of a photo, as resizing its short side and cutting the side out does."""
    width, height = size
    if cut.squash:
        share = (1 - min(cut.side / cut.short_side, 1)) / 2
        return width * share, height * share, width * (1 - share), height * (1 - share)
    side = min(cut.side / cut.short_side, 1) * min(size)
    return (width - side) / 2, (height - side) / 2, (width + side) / 2, (height + side) / 2


def random_box(size: tuple[int, int], cut: Cut, rng: np.random.Generator) -> Box:
    """Draw a part of a photo by its area and its shape; the middle if ten do not fit."""
    width, height = size
    if cut.squash:
        return _window(size, cut, rng)
    widest = math.log(cut.widest)
    for _ in range(_TRIES):
        area = width * height * rng.uniform(cut.least_area, 1)
        ratio = math.exp(rng.uniform(-widest, widest))
        w, h = round(math.sqrt(area * ratio)), round(math.sqrt(area / ratio))
        if 0 < w <= width and 0 < h <= height:
            left, top = int(rng.integers(width - w + 1)), int(rng.integers(height - h + 1))
            return left, top, left + w, top + h
    x, y = min(width, height * cut.widest) / 2, min(height, width * cut.widest) / 2
    return width / 2 - x, height / 2 - y, width / 2 + x, height / 2 + y


def _window(size: tuple[int, int], cut: Cut, rng: np.random.Generator) -> Box:
    """Draw a window of the square that a photo is made, in pixels of the photo."""
    room = cut.short_side - cut.side
    left, top = (int(rng.integers(room + 1)) for _ in range(2))
    x, y = (side / cut.short_side for side in size)
    return left * x, top * y, (left + cut.side) * x, (top + cut.side) * y
