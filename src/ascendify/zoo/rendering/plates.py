"""Draw the plate of a street sign from the front: its colours, its frame, its text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

from PIL import Image, ImageDraw

from ascendify.zoo.rendering.fonts import Face, Faces, cap_height, load, pick_face
from ascendify.zoo.rendering.random_values import Color, any_color, between, shade

_WIDTH = 300
"""Pixels of a plate's width when it is drawn, before it is halved for smooth edges."""
_EDGE = 2
"""Transparent pixels around a plate, so that its edges blend with the background."""
_BREAKS = re.compile(r"(?<=[ -])")
_ARTICLES = frozenset({"de", "du", "des", "la", "le", "les", "et", "à", "aux", "au"})
Box = tuple[float, float, float, float]


@dataclass(frozen=True)
class _Style:
    ground: Color
    ink: Color
    frame: Optional[Color]


def draw_plate(faces: Faces, text: str, capitals: float, rng: Any) -> Image.Image:
    """Draw a plate with a transparent edge; ``capitals`` is the share of plates in capitals."""
    lines = _lines(_spell(text, capitals, rng), rng)
    ratio = between(rng, 0.28, 0.42) + 0.13 * (len(lines) - 1)
    width, height = _WIDTH, round(_WIDTH * ratio / 2) * 2
    style = _style(rng)
    plate = Image.new("RGB", (width, height), style.ground)
    draw = ImageDraw.Draw(plate)
    margin = _border(draw, style, width, height, rng)
    face = pick_face(faces, rng)
    box = _decorate(plate, draw, style, face, margin, rng)
    _write(plate, _block(lines, face, rng), box, style.ink, rng)
    alpha = Image.new("L", (width, height), 0)
    round_ = int(rng.random() * 0.1 * height)
    ImageDraw.Draw(alpha).rounded_rectangle((0, 0, width - 1, height - 1), round_, fill=255)
    plate.putalpha(alpha)
    edged = Image.new("RGBA", (width // 2 + 2 * _EDGE, height // 2 + 2 * _EDGE), (*style.ground, 0))
    edged.paste(plate.reduce(2), (_EDGE, _EDGE))
    return edged


def plate_corners(size: tuple[int, int]) -> list[tuple[float, float]]:
    """Return the corners of the opaque part of a drawn plate."""
    right, bottom = size[0] - _EDGE, size[1] - _EDGE
    return [(_EDGE, _EDGE), (right, _EDGE), (right, bottom), (_EDGE, bottom)]


def _style(rng: Any) -> _Style:
    """Draw colours: mostly white on blue, else white on another colour, or dark on light."""
    luck = rng.random()
    white = shade((243, 243, 240), 10, rng)
    if luck < 0.5:
        return _Style(shade((28, 58, 138), 24, rng), white, None)
    if luck < 0.62:
        return _Style(shade((25, 50, 125), 20, rng), white, shade((30, 95, 60), 20, rng))
    if luck < 0.74:
        return _Style(shade((18, 22, 44), 14, rng), white, None)
    if luck < 0.82:
        ground = ((25, 85, 55), (95, 50, 35), (120, 30, 35))[int(3 * rng.random())]
        return _Style(shade(ground, 15, rng), white, None)
    ground = shade(((238, 238, 232), (235, 222, 188))[rng.random() < 0.4], 12, rng)
    inks = ((25, 45, 125), (20, 20, 25), (25, 75, 45), (120, 25, 30))
    return _Style(ground, shade(inks[int(4 * rng.random() ** 1.5)], 12, rng), None)


def _border(draw: Any, style: _Style, width: int, height: int, rng: Any) -> int:
    """Draw the frame and the line along the edge; return the margin of the text."""
    inset, line = 4 + int(6 * rng.random()), 3 + int(3 * rng.random())
    if style.frame is not None:
        thick = 6 + int(6 * rng.random())
        draw.rectangle((0, 0, width - 1, height - 1), outline=style.frame, width=thick)
        inset += thick
    luck = rng.random()
    if luck < 0.25 and style.frame is None:
        return 8
    edge = (inset, inset, width - 1 - inset, height - 1 - inset)
    if luck < 0.7:
        draw.rounded_rectangle(edge, int(4 + 12 * rng.random()), outline=style.ink, width=line)
    else:
        draw.rectangle(edge, outline=style.ink, width=line)
        _notches(draw, edge, line, style)
    return inset + line + 4


def _notches(draw: Any, edge: tuple[int, int, int, int], line: int, style: _Style) -> None:
    """Draw round notches in the corners of the line, as on enamel plates."""
    left, top, right, bottom = edge
    for x, y in ((left, top), (right, top), (right, bottom), (left, bottom)):
        draw.ellipse((x - 14, y - 14, x + 14, y + 14), style.ground, style.ink, line)
    width, height = left + right, top + bottom
    for box in (
        (0, 0, width, top - 1),
        (0, 0, left - 1, height),
        (0, bottom + 1, width, height),
        (right + 1, 0, width, height),
    ):
        draw.rectangle(box, style.ground)


def _decorate(
    plate: Image.Image, draw: Any, style: _Style, face: Face, margin: int, rng: Any
) -> Box:
    """Draw decorations; return the box that is left for the name."""
    width, height = plate.size
    left, top, right, bottom = margin, margin, width - margin, height - margin
    luck = rng.random()
    small = max(16, height // 9)
    if luck < 0.15:
        _small(draw, face, _heading(rng), ((left + right) // 2, top + small // 2), small, style.ink)
        top += small + 6
        if rng.random() < 0.6:
            draw.line((left, top - 3, right, top - 3), style.ink, 2)
    elif luck < 0.25:
        note = _note(rng)
        _small(draw, face, note, ((left + right) // 2, bottom - small // 2), small, style.ink)
        bottom -= small + 4
    elif luck < 0.4:
        size = int(height * between(rng, 0.22, 0.34))
        _shield(draw, (left + 4, top + 4, left + 4 + int(size * 0.8), top + 4 + size), rng)
        left += int(size * 0.8) + 8
    return (left, top, right, bottom)


def _heading(rng: Any) -> str:
    """Return a line above the name that is not part of it: the arrondissement, or of the town."""
    if rng.random() < 0.6:
        return f"{1 + int(20 * rng.random())}e Arrt"
    return ("VILLE", "COMMUNE", "QUARTIER", "MAIRIE", "CENTRE")[int(5 * rng.random())]


def _note(rng: Any) -> str:
    born = 1600 + int(300 * rng.random())
    number = 1 + int(199 * rng.random())
    return f"{born} - {born + 20 + number % 70}" if rng.random() < 0.6 else f"N° {number}"


def _small(
    draw: Any, face: Face, text: str, centre: tuple[int, int], size: int, ink: Color
) -> None:
    draw.text(centre, text, ink, load(face.path, size), anchor="mm")


def _shield(draw: Any, box: tuple[int, int, int, int], rng: Any) -> None:
    left, top, right, bottom = box
    middle, low = (left + right) // 2, top + (bottom - top) * 2 // 3
    shape = [(left, top), (right, top), (right, low), (middle, bottom), (left, low)]
    first, second = any_color(rng), any_color(rng)
    draw.polygon(shape, fill=first, outline=(235, 235, 230))
    draw.rectangle((middle, top + 2, right - 2, low), second)


def _spell(text: str, capitals: float, rng: Any) -> str:
    """Return the text as on the plate: in capitals, with or without the articles, or unchanged."""
    if rng.random() >= capitals:
        return text
    luck = rng.random()
    if luck < 0.8:
        return text.upper()
    words = text.split()
    kept = _ARTICLES if luck < 0.9 else _ARTICLES | {words[0]}
    return " ".join(word if word in kept else word.upper() for word in words)


def _lines(text: str, rng: Any) -> tuple[str, ...]:
    """Break the text at spaces and hyphens into one to three lines."""
    parts = tuple(_BREAKS.split(text))
    fitting = 1 + (len(text) > 9) + (len(text) > 22)
    return break_lines(parts, min(len(parts), fitting + (rng.random() < 0.35), 3))


def break_lines(parts: tuple[str, ...], count: int) -> tuple[str, ...]:
    """Join parts of a text to ``count`` lines, the longest as short as possible."""
    if count == 1:
        return ("".join(parts).strip(),)
    choices = (
        ("".join(parts[:first]).strip(), *break_lines(parts[first:], count - 1))
        for first in range(1, len(parts) - count + 2)
    )
    return min(choices, key=lambda lines: max(map(len, lines)))


def _block(lines: Sequence[str], face: Face, rng: Any) -> Image.Image:
    """Draw the lines, centred, white on black, cropped."""
    cap = 34.0
    size = round(cap / cap_height(face.path))
    gap = cap * between(rng, 1.45, 1.75)
    drawn = []
    for line in lines:
        article = set(line.lower().split()) <= _ARTICLES
        font = load(face.path, round(size * 0.75) if article else size)
        drawn.append((line, font, font.getlength(line), gap * (0.9 if article else 1)))
    width = int(max(length for _, _, length, _ in drawn)) + 20
    block = Image.new("L", (width, int(sum(gap for *_, gap in drawn)) + size), 0)
    draw = ImageDraw.Draw(block)
    base = 0.0
    for line, font, length, height in drawn:
        base += height
        draw.text(((width - length) / 2, base), line, 255, font, anchor="ls")
    return block.crop(block.getbbox())


def _write(plate: Image.Image, block: Image.Image, box: Box, ink: Color, rng: Any) -> None:
    """Scale the text to its box, also changing its proportions."""
    left, top, right, bottom = box
    fill = between(rng, 0.84, 0.98)
    across, down = (right - left) * fill / block.width, (bottom - top) * fill / block.height
    down = min(down, across * 1.5)
    across = min(across, down * 1.2)
    size = (max(1, int(block.width * across)), max(1, int(block.height * down)))
    where = (int((left + right - size[0]) / 2), int((top + bottom - size[1]) / 2))
    plate.paste(ink, (*where, where[0] + size[0], where[1] + size[1]), block.resize(size))
