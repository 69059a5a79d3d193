"""Read signs with a trained network, and draw its attention for every character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from PIL import Image, ImageDraw

from ascendify.zoo.attention_ocr.model import AttentionModel, AttentionOCR, normalise
from ascendify.zoo.picture_files import open_rgb
from ascendify.zoo.rendering.backgrounds import Array
from ascendify.zoo.rendering.fonts import SHIPPED, load
from ascendify.zoo.text import decoding

_FONT = str(SHIPPED / "DejaVuSans-Bold.ttf")
_LINE = 28
"""Pixels of a line of text."""
_MARGIN = 56
"""Pixels for the character on the left of a row of heat maps."""
_WIDTH = 600
"""Width in pixels of drawn pictures, for any size of the network."""
_GLOW = np.array([255, 96, 0], np.float32)


@dataclass(frozen=True)
class RecognisedSign:
    """What was read in a picture."""

    text: str
    confidence: float
    """From 0 to 1: the geometric mean over the characters and the end."""
    maps: Array
    """Where each character was read, [characters,views,rows,columns]; each map's sum is 1."""


def open_picture(path: Path, model: AttentionModel) -> Array:
    """Open a picture as the network's input: views side by side.

    A picture with the proportions of the input is scaled. Any other is used as one view, fitted on
    grey, and repeated for all views.

    Raises:
        UsageError: it cannot be read.
    """
    image = open_rgb(path)
    width, height = model.width * model.views, model.height
    if abs(image.width * height / (image.height * width) - 1) < 0.02:
        return np.asarray(image.resize((width, height), Image.Resampling.BILINEAR))
    scale = min(model.width / image.width, height / image.height)
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    view = Image.new("RGB", (model.width, height), (128, 128, 128))
    place = ((model.width - size[0]) // 2, (height - size[1]) // 2)
    view.paste(image.resize(size, Image.Resampling.BILINEAR), place)
    return np.tile(np.asarray(view), (1, model.views, 1))


@torch.no_grad()
def read(
    model: AttentionOCR, pictures: Sequence[Array], characters: Sequence[str]
) -> list[RecognisedSign]:
    """Read pictures with a network; ``characters`` are those of its classes."""
    device = next(model.parameters()).device
    images = torch.from_numpy(np.stack(pictures)).to(device)
    logits, maps = model.eval().read(normalise(images))
    found = decoding.attention(logits, model.config.null)
    return [
        RecognisedSign(
            "".join(characters[each] for each in classes),
            float(confidence),
            places[: len(classes)].float().cpu().numpy(),
        )
        for classes, confidence, places in zip(found.texts(), found.confidences, maps)
    ]


def annotate(picture: Array, sign: RecognisedSign) -> Image.Image:
    """Draw the picture, and below it what was read."""
    shown = _scale_to_width(picture)
    whole = Image.new("RGB", (shown.width, shown.height + _LINE + 8), "white")
    whole.paste(shown)
    caption = f"{sign.text}  {sign.confidence:.0%}"
    _write_text(whole, (4, shown.height + 4), caption, shown.width - 8)
    return whole


def attention_sheet(picture: Array, sign: RecognisedSign) -> Image.Image:
    """Draw the picture and its text, then a row with the attention of every character."""
    first = annotate(picture, sign)
    shown = _scale_to_width(picture)
    step = shown.height + 4
    sheet = Image.new("RGB", (_MARGIN + _WIDTH, first.height + step * len(sign.maps)), "white")
    sheet.paste(first, (_MARGIN, 0))
    for number, (character, maps) in enumerate(zip(sign.text, sign.maps)):
        top = first.height + step * number
        sheet.paste(Image.fromarray(draw_heat_map(np.asarray(shown), maps)), (_MARGIN, top))
        written = "␣" if character == " " else character
        _write_text(sheet, (_MARGIN // 4, top + (shown.height - _LINE) // 2), written, _MARGIN)
    return sheet


def draw_heat_map(picture: Array, maps: Array) -> Array:
    """Darken a picture [H,W,3], except where the maps [views,rows,columns] are high."""
    height, width, _ = picture.shape
    views = len(maps)
    size = (width // views, height)
    heat = np.concatenate([_enlarge(each / max(maps.max(), 1e-12), size) for each in maps], 1)
    heat = heat[:, :, None]
    return (
        np.asarray((0.3 + 0.4 * heat) * picture + 0.4 * heat * _GLOW).clip(0, 255).astype(np.uint8)
    )


def _scale_to_width(picture: Array) -> Image.Image:
    height, width, _ = picture.shape
    return Image.fromarray(picture).resize((_WIDTH, height * _WIDTH // width))


def _enlarge(heat: Array, size: tuple[int, int]) -> Array:
    image = Image.fromarray(heat.astype(np.float32))
    return np.asarray(image.resize(size, Image.Resampling.BILINEAR))


def _write_text(image: Image.Image, place: tuple[int, int], text: str, width: int) -> None:
    """Write a text, in a smaller font if it is too wide."""
    font = load(_FONT, _LINE - 6)
    wide = font.getlength(text)
    if wide > width:
        font = load(_FONT, max(6, int((_LINE - 6) * width / wide)))
    ImageDraw.Draw(image).text(place, text, "black", font)
