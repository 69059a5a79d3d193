"""Draw words in the style of Synth90k: cut out of a scene, always 32 by 100 pixels.

Letters are drawn once as a mask of twice the size. Shapes are changed on the mask, colours on the
small picture, so a word takes about a millisecond.
"""

from __future__ import annotations

import functools
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from ascendify.zoo.rendering.backgrounds import (
    Array,
    background,
    clouds,
    contrasting_colour,
    luma,
    random_colour,
)
from ascendify.zoo.rendering.fonts import Faces, cap_height, draw_text, load, pick_face

HEIGHT, WIDTH = 32, 100
_FINE = 2
"""Scale of masks relative to the picture."""
_STRIP = 1 << 19
_TALL, _WIDE = HEIGHT * _FINE, WIDTH * _FINE


@dataclass(frozen=True)
class WordStyle:
    """How words look; ranges are drawn from uniformly, shares are of all words."""

    capitals: tuple[int, ...] = (24, 32, 40)
    """Heights of capital letters as they are drawn, in pixels."""
    lower: float = 0.45
    upper: float = 0.3
    """Share in upper case; words in neither share start with a capital."""
    contrast: float = 60.0
    """Least difference of brightness between letters and background."""
    rough: float = 0.25
    """Largest variation of the background, as a share of that difference."""
    spaced: float = 0.2
    border: float = 0.2
    shadow: float = 0.25
    curved: float = 0.12
    coarse: float = 0.2
    """Share that is shrunk and enlarged again, as if seen from far."""
    tilt: tuple[float, float] = (0.06, 0.15)
    """Largest shift of the corners, as shares of width and height."""
    blur: float = 1.2
    noise: float = 12.0
    quality: tuple[int, int] = (30, 95)
    """Quality range of the JPEG compression."""


def render_word(style: WordStyle, faces: Faces, word: str, rng: np.random.Generator) -> Array:
    """Draw a picture of a word, uint8 ``[32, 100, 3]``, RGB."""
    letters = _bend(style, _letters(style, faces, _choose_case(style, word, rng), rng), rng)
    room = min(1.0, 8 / len(word))  # change small letters less, or they would become illegible
    return _photograph(style, _paint(style, letters, room, rng), room, rng)


def _choose_case(style: WordStyle, word: str, rng: np.random.Generator) -> str:
    choice = rng.random()
    if choice < style.lower:
        return word
    return word.upper() if choice < style.lower + style.upper else word.capitalize()


def _letters(style: WordStyle, faces: Faces, text: str, rng: np.random.Generator) -> Image.Image:
    """Draw the word in black and white, cropped."""
    path = pick_face(faces, rng).path
    capitals = style.capitals[int(rng.random() * len(style.capitals))]
    font = load(path, round(capitals / cap_height(path)))
    if rng.random() < style.spaced:
        return _space_out(font, text, capitals, rng)
    return draw_text(font, text)


def _space_out(
    font: ImageFont.FreeTypeFont, text: str, capitals: int, rng: np.random.Generator
) -> Image.Image:
    """Draw letters with other distances than the font's, and off the base line."""
    gap = capitals * (0.3 * rng.random() - 0.03)
    sway = capitals * 0.1 * max(0.0, rng.random() - 0.4)
    places = np.cumsum([0.0, *(font.getlength(letter) + gap for letter in text)])
    heights = rng.random(len(text)) * sway
    picture = Image.new("L", (round(places[-1] + 2 * capitals), 3 * capitals))
    pen = ImageDraw.Draw(picture)
    for letter, place, height in zip(text, places, heights):
        pen.text((capitals // 2 + place, capitals // 2 + height), letter, 255, font)
    return picture.crop(picture.getbbox() or (0, 0, 1, 1))


def _bend(style: WordStyle, letters: Image.Image, rng: np.random.Generator) -> Array:
    """Transform the letters to their position in the mask: in perspective, some on a curve."""
    if letters.width > 1.5 * _WIDE:
        letters = letters.reduce((2, 1))
    coefficients = _perspective(_corners(style, rng), letters.width, letters.height)
    seen = letters.transform(
        (_WIDE, _TALL), Image.Transform.PERSPECTIVE, coefficients, Image.Resampling.BILINEAR
    )
    mask = np.asarray(seen)
    return _curve(mask, rng) if rng.random() < style.curved else mask


def _corners(style: WordStyle, rng: np.random.Generator) -> list[tuple[float, float]]:
    """Draw positions of the word's corners: left top, right top, right bottom, left bottom."""
    chance = rng.random(10).tolist()
    across, down = 0.01 + 0.05 * chance[8], 0.03 + 0.1 * chance[9]
    moved = [
        (_WIDE * (across + style.tilt[0] * x), _TALL * (down + style.tilt[1] * y))
        for x, y in zip(chance[:4], chance[4:8])
    ]
    inward = ((0, 1, 0, 1), (_WIDE, -1, 0, 1), (_WIDE, -1, _TALL, -1), (0, 1, _TALL, -1))
    return [(x0 + sx * x, y0 + sy * y) for (x, y), (x0, sx, y0, sy) in zip(moved, inward)]


def _perspective(
    corners: Sequence[tuple[float, float]], width: int, height: int
) -> tuple[float, ...]:
    """Return Pillow's eight numbers, which map the corners to those of a picture.

    The closed form (Heckbert, Fundamentals of Texture Mapping, 1989) maps the unit square to the
    corners; its adjugate is the inverse.
    """
    (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
    dx1, dx2, dx3 = x1 - x2, x3 - x2, x0 - x1 + x2 - x3
    dy1, dy2, dy3 = y1 - y2, y3 - y2, y0 - y1 + y2 - y3
    size = dx1 * dy2 - dx2 * dy1
    g, h = (dx3 * dy2 - dx2 * dy3) / size, (dx1 * dy3 - dx3 * dy1) / size
    a, b, c = x1 - x0 + g * x1, x3 - x0 + h * x3, x0
    d, e, f = y1 - y0 + g * y1, y3 - y0 + h * y3, y0
    last = a * e - b * d
    return (
        (e - f * h) * width / last,
        (c * h - b) * width / last,
        (b * f - c * e) * width / last,
        (f * g - d) * height / last,
        (a - c * g) * height / last,
        (c * d - a * f) * height / last,
        (d * h - e * g) / last,
        (b * g - a * h) / last,
    )


def _curve(mask: Array, rng: np.random.Generator) -> Array:
    """Bend the word upwards or downwards, and scale it to fit."""
    bend = (0.1 + 0.15 * rng.random()) * _TALL
    arch = 1 - np.linspace(-1, 1, _WIDE) ** 2
    hill = arch if rng.random() < 0.5 else 1 - arch
    scale = 1 + bend / _TALL
    rows = np.arange(_TALL)[:, None] * scale - (bend * scale * hill)[None, :]
    rows = np.rint(rows).astype(np.intp)
    inside = (rows >= 0) & (rows < _TALL)
    return np.where(inside, mask[np.clip(rows, 0, _TALL - 1), np.arange(_WIDE)], 0).astype(np.uint8)


def _paint(style: WordStyle, letters: Array, room: float, rng: np.random.Generator) -> Array:
    """Paint background, shadow, border and letters, in this order."""
    ground = random_colour(rng)
    ink = contrasting_colour(rng, ground, style.contrast)
    contrast = abs(luma(ink) - luma(ground))
    picture = background(rng, HEIGHT, WIDTH, ground, style.rough * contrast * rng.random())
    if rng.random() < style.shadow:
        _lay(picture, _shift(letters, rng), random_colour(rng), 0.15 + 0.35 * rng.random())
    if rng.random() < style.border * room:
        border = _thicken(letters, 1 + int(rng.random() * 2 * room))
        _lay(picture, border, contrasting_colour(rng, ink, style.contrast), 1.0)
    _lay(picture, letters, ink, 0.85 + 0.15 * rng.random())
    if rng.random() < 0.3:
        picture += (clouds(rng, HEIGHT, WIDTH) * (25 * rng.random()))[..., None]
    return picture


def _lay(picture: Array, mask: Array, colour: Array, opacity: float) -> None:
    """Paint a colour onto the picture through a mask."""
    small = np.asarray(Image.fromarray(mask).reduce(_FINE))
    share = (small * np.float32(opacity / 255))[..., None]
    picture += share * (colour - picture)


def _shift(mask: Array, rng: np.random.Generator) -> Array:
    right, down = (int(step) for step in rng.integers(-4, 5, 2))
    return np.roll(mask, (down, right), (0, 1))


def _thicken(mask: Array, pixels: int) -> Array:
    """Grow a mask on every side."""
    grown = mask.copy()
    for _ in range(pixels):
        before = grown.copy()
        np.maximum(grown[1:], before[:-1], out=grown[1:])
        np.maximum(grown[:-1], before[1:], out=grown[:-1])
        np.maximum(grown[:, 1:], before[:, :-1], out=grown[:, 1:])
        np.maximum(grown[:, :-1], before[:, 1:], out=grown[:, :-1])
    return grown


def _photograph(style: WordStyle, picture: Array, room: float, rng: np.random.Generator) -> Array:
    """Add noise, blur and JPEG compression, as of a camera."""
    picture += _noise(rng) * np.float32(style.noise * rng.random() ** 2)
    photo = Image.fromarray(np.clip(picture, 0, 255, out=picture).astype(np.uint8))
    if rng.random() < style.coarse * room:
        part = 0.5 + 0.4 * rng.random()
        photo = photo.resize((math.ceil(WIDTH * part), math.ceil(HEIGHT * part)))
        photo = photo.resize((WIDTH, HEIGHT), Image.Resampling.BILINEAR)
    blur = style.blur * room * rng.random() ** 1.5
    if blur > 0.2:
        photo = photo.filter(ImageFilter.GaussianBlur(blur))
    return _compress(photo, int(rng.integers(style.quality[0], style.quality[1] + 1)))


def _noise(rng: np.random.Generator) -> Array:
    """Return a slice of precomputed noise, five times as fast as new noise."""
    start = int(rng.random() * (_STRIP - HEIGHT * WIDTH * 3))
    return _strip()[start : start + HEIGHT * WIDTH * 3].reshape(HEIGHT, WIDTH, 3)


@functools.lru_cache(maxsize=1)
def _strip() -> Array:
    return np.random.default_rng(0).standard_normal(_STRIP, np.float32)


def _compress(photo: Image.Image, quality: int) -> Array:
    file = io.BytesIO()
    photo.save(file, "JPEG", quality=quality)
    return np.array(Image.open(file, formats=("JPEG",)))
