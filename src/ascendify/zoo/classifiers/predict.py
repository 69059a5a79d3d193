"""Say what pictures show, and draw the five likeliest classes beside each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from PIL import Image, ImageDraw
from torch import Tensor

from ascendify.zoo.picture_files import open_rgb
from ascendify.zoo.rendering.fonts import SHIPPED, load
from ascendify.zoo.sets.photos import Cut, middle

_FONT = str(SHIPPED / "RobotoCondensed-Regular.ttf")
_SHOWN = 320
"""Pixels of the picture's longer side, as it is shown."""
_PANEL, _ROW = 260, 34
_INK, _BAR, _TRACK = "#1a1a1a", "#4c78a8", "#e4e7eb"
_FIVE = 5


class LikelyClass(NamedTuple):
    """A class that a picture may show."""

    name: str
    probability: float


@dataclass(frozen=True)
class Seen:
    """What was seen in a picture."""

    picture: Image.Image
    best: Sequence[LikelyClass]
    """The likeliest classes, the best first; at most five."""


@torch.no_grad()
def classify(
    paths: Sequence[Path], cut: Cut, logits: Callable[[Tensor], Tensor], names: Sequence[str]
) -> list[Seen]:
    """Classify the middle of pictures.

    Raises:
        UsageError: one cannot be read.
    """
    pictures = [open_rgb(path) for path in paths]
    size = (cut.side, cut.side)
    cuts = [
        np.asarray(each.resize(size, Image.Resampling.BILINEAR, middle(each.size, cut)))
        for each in pictures
    ]
    shares = logits(torch.from_numpy(np.stack(cuts))).float().softmax(1).cpu()
    found = shares.topk(min(_FIVE, shares.shape[1]))
    return [
        Seen(picture, [LikelyClass(names[each], share) for each, share in zip(classes, values)])
        for picture, classes, values in zip(pictures, found.indices.tolist(), found.values.tolist())
    ]


def annotate(seen: Seen) -> Image.Image:
    """Draw a picture, and beside it its likeliest classes with bars for their probabilities."""
    picture = seen.picture.copy()
    factor = _SHOWN / max(picture.size)
    width, height = (max(1, round(side * factor)) for side in picture.size)
    whole = Image.new("RGB", (width + _PANEL, max(height, _ROW * len(seen.best) + 12)), "white")
    whole.paste(picture.resize((width, height), Image.Resampling.LANCZOS))
    pen = ImageDraw.Draw(whole)
    font = load(_FONT, 16)
    for number, each in enumerate(seen.best):
        top, left, right = 8 + number * _ROW, width + 12, width + _PANEL - 12
        pen.text((left, top), _fitting(each.name, font, _PANEL - 80), _INK, font)
        pen.text((right, top), f"{each.probability:.1%}", _INK, font, anchor="ra")
        bar = (left, top + 22, right, top + 26)
        pen.rectangle(bar, _TRACK)
        if each.probability * (right - left) >= 1:
            pen.rectangle((*bar[:2], left + each.probability * (right - left), bar[3]), _BAR)
    return whole


def _fitting(text: str, font: object, room: int) -> str:
    """Shorten a name to what fits beside its probability."""
    length = font.getlength  # type: ignore[attr-defined] # Pillow's fonts have it
    if length(text) <= room:
        return text
    while text and length(f"{text}...") > room:
        text = text[:-1]
    return f"{text}..."
