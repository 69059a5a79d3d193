"""Read words with a trained network, and draw the character of every time step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw

from ascendify.zoo.crnn.ctc import ctc_loss
from ascendify.zoo.crnn.model import HEIGHT, PIXELS_PER_STEP, Crnn, normalise
from ascendify.zoo.picture_files import open_rgb
from ascendify.zoo.rendering.backgrounds import Array
from ascendify.zoo.rendering.fonts import SHIPPED, load
from ascendify.zoo.text import decoding

_FONT = str(SHIPPED / "DejaVuSans-Bold.ttf")
_SCALE = 8
"""Scale of the enlarged picture."""
_LINE = 28
"""Pixels of a line of text."""
_STEP = _SCALE * PIXELS_PER_STEP
"""Pixels of a time step in the enlarged picture."""
_BLANK = "·"


@dataclass(frozen=True)
class RecognisedWord:
    """What was read in a picture."""

    text: str
    confidence: float
    """The probability of the text over all alignments."""
    steps: Sequence[str]
    """The likeliest character of every time step; a blank is empty."""


def open_picture(path: Path, width: int) -> Array:
    """Open a picture as the network's input, stretched to its size as in the guide.

    Raises:
        UsageError: it cannot be read.
    """
    return np.asarray(open_rgb(path).resize((width, HEIGHT), Image.Resampling.BILINEAR))


@torch.no_grad()
def read(model: Crnn, pictures: Sequence[Array], characters: Sequence[str]) -> list[RecognisedWord]:
    """Read pictures with a network; ``characters`` are those of its classes."""
    device = next(model.parameters()).device
    images = torch.from_numpy(np.stack(pictures)).to(device)
    logits = model.eval()(normalise(images))
    found = decoding.ctc_greedy(logits, model.config.blank)
    likely = ctc_loss(logits, found.classes, found.lengths, model.config.blank).neg().exp()
    best = logits.argmax(2).t()
    return [
        RecognisedWord(
            "".join(characters[each] for each in classes),
            confidence,
            tuple(characters[each] for each in steps),
        )
        for classes, confidence, steps in zip(found.texts(), likely.tolist(), best.tolist())
    ]


def annotate(picture: Array, word: RecognisedWord) -> Image.Image:
    """Draw the picture enlarged, below it the character of every step, and the text."""
    height, width, _ = picture.shape
    shown = Image.fromarray(picture).resize((_SCALE * width, _SCALE * height))
    whole = Image.new("RGB", (shown.width, shown.height + 2 * _LINE), "white")
    whole.paste(shown)
    pen = ImageDraw.Draw(whole)
    font = load(_FONT, _LINE - 8)
    middle = shown.height + _LINE // 2
    for number, character in enumerate(word.steps):
        place = (_STEP * number + _STEP // 2, middle)
        colour = "black" if character else "grey"
        pen.text(place, character or _BLANK, colour, font, anchor="mm")
        pen.line([_STEP * number, shown.height, _STEP * number, shown.height + 4], "grey")
    caption = f"{word.text}  {word.confidence:.0%}"
    pen.text((_STEP // 4, middle + _LINE), caption, "black", font, anchor="lm")
    return whole
