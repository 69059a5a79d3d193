"""The 1,797 scanned digits inside scikit-learn: a data set that needs no download.

Pen strokes of 43 people, 8 x 8 pixels of 16 levels (UCI, "Optical Recognition of Handwritten
Digits"). The split is our own, the same for every run.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from PIL import Image

from ascendify.errors import UsageError
from ascendify.zoo.recipe import Split

CLASSES = tuple("0123456789")
TRAINING = 1437
"""Pictures for training; the other 360 are the test."""
_LEVELS = 16
_SHUFFLE = 20


class DigitScans:
    """Samples of a split: ``images`` [side, side, 3] and ``labels``."""

    classes = CLASSES

    def __init__(self, split: Split, side: int) -> None:
        self._pictures, self.labels = _split(split)
        self._side = side

    def __len__(self) -> int:
        return len(self.labels)

    def __getitem__(self, index: int) -> Mapping[str, Any]:
        """Return a digit, enlarged to the side."""
        grey = Image.fromarray(self._pictures[index])
        large = np.asarray(grey.resize((self._side, self._side), Image.Resampling.BILINEAR))
        return {"images": np.repeat(large[..., None], 3, 2), "labels": self.labels[index]}


@cache
def _split(split: Split) -> tuple[Any, Any]:
    """Return the pictures, uint8 [N, 8, 8], and the labels of a split."""
    try:
        found = importlib.import_module("sklearn.datasets").load_digits()
    except ImportError as error:
        raise UsageError(
            f"the digits to train on without --data are inside scikit-learn: {error}",
            "pip install scikit-learn, or name a folder of pictures with --data",
        ) from error
    order = np.random.default_rng(_SHUFFLE).permutation(len(found.target))
    chosen = order[:TRAINING] if split == "train" else order[TRAINING:]
    pictures = (found.images[chosen] * 255 / _LEVELS).round().astype(np.uint8)
    return pictures, found.target[chosen].astype(np.int64)
