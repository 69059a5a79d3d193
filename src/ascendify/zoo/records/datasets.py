"""The examples of the four data sets that the reference networks train on.

Sources: the guide and upstream of each network. Where upstream reads a missing picture or label
as an empty one, it is an error here: otherwise a network would train on such records silently.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Optional

from ascendify.zoo.records.example import FeatureKind
from ascendify.zoo.records.schema import one, several, string

CRNN_SHAPE = (32, 100, 3)
"""Height, width and channels of a word's picture."""
FSNS_LENGTH = 37
"""Characters of a padded FSNS label; the padding is class 133."""


@dataclass(frozen=True)
class CrnnExample:
    """A word of Synth90k, as the CRNN guide's ``write_tfrecords.py`` writes it."""

    images: bytes = one("images", FeatureKind.BYTES, size=prod(CRNN_SHAPE))
    """Raw pixels, a byte each, in the order of ``CRNN_SHAPE``."""
    imagepaths: bytes = one("imagepaths", FeatureKind.BYTES)
    labels: tuple[int, ...] = several("labels", FeatureKind.INT64)
    labels_length: Optional[int] = one("labels_length", FeatureKind.INT64, default=None)
    """The number of labels; None in files written before the guide's change added it."""


@dataclass(frozen=True)
class FsnsExample:
    """A French street sign in up to four views (FSNS, Attention-OCR)."""

    encoded: bytes = one("image/encoded", FeatureKind.BYTES)
    """The views side by side, a PNG."""
    format: str = string("image/format")
    width: int = one("image/width", FeatureKind.INT64)
    orig_width: int = one("image/orig_width", FeatureKind.INT64)
    """Before the padding: there are 4 * orig_width / width views."""
    height: int = one("image/height", FeatureKind.INT64)
    text: str = string("image/text")
    classes: tuple[int, ...] = several("image/class", FeatureKind.INT64, count=FSNS_LENGTH)
    unpadded_class: tuple[int, ...] = several("image/unpadded_class", FeatureKind.INT64)


@dataclass(frozen=True)
class ImageNetExample:
    """A picture of ImageNet, as ``build_imagenet_data.py`` writes it (ResNet-50, AlexNet).

    Other tools write fewer features; only the picture and its label are in all of them.
    """

    encoded: bytes = one("image/encoded", FeatureKind.BYTES)
    """A JPEG."""
    label: int = one("image/class/label", FeatureKind.INT64)
    """1 to 1000; 0 is the background."""
    class_text: Optional[str] = string("image/class/text", default=None)
    synset: Optional[str] = string("image/class/synset", default=None)
    xmin: tuple[float, ...] = several("image/object/bbox/xmin", FeatureKind.FLOAT, default=())
    ymin: tuple[float, ...] = several("image/object/bbox/ymin", FeatureKind.FLOAT, default=())
    xmax: tuple[float, ...] = several("image/object/bbox/xmax", FeatureKind.FLOAT, default=())
    ymax: tuple[float, ...] = several("image/object/bbox/ymax", FeatureKind.FLOAT, default=())
    height: Optional[int] = one("image/height", FeatureKind.INT64, default=None)
    width: Optional[int] = one("image/width", FeatureKind.INT64, default=None)
    colorspace: Optional[str] = string("image/colorspace", default=None)
    channels: Optional[int] = one("image/channels", FeatureKind.INT64, default=None)
    format: Optional[str] = string("image/format", default=None)
    filename: Optional[str] = string("image/filename", default=None)


@dataclass(frozen=True)
class FlowerExample:
    """A photo of ``tf_flowers`` 3.0.1, as TensorFlow Datasets writes it (BiT)."""

    image: bytes = one("image", FeatureKind.BYTES)
    """A JPEG."""
    label: int = one("label", FeatureKind.INT64)
    """Of dandelion, daisy, tulips, sunflowers, roses, from 0."""
