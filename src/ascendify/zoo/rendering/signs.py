"""Street signs in the style of FSNS: up to four views of one plate, side by side.

The plate is drawn once; every view has its own wall or sky behind it, its own perspective, light
and blur. Parts of it are occluded in some views, but one view, ``clear``, always shows all of it:
text that no view shows would only teach a network to guess.
"""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

from ascendify.zoo.rendering.backgrounds import Array, smooth
from ascendify.zoo.rendering.fonts import Faces
from ascendify.zoo.rendering.plates import Box, draw_plate, plate_corners
from ascendify.zoo.rendering.random_values import Color, between, shade

SIDE = 150
"""Height and width of a view in pixels."""
VIEWS = 4
SHAPE = (SIDE, VIEWS * SIDE, 3)
"""Height, width and channels of a picture."""

_COARSE = 64
"""Pixels of a background before it is enlarged."""
_UNLIKE_SIGNS = re.compile(r"italic|oblique|light|thin|script|lobster|z003|mono|display", re.I)


@dataclass(frozen=True)
class SignSettings:
    """How signs are drawn; shares are from 0 to 1, sizes are relative to the view's side."""

    capitals: float = 0.8
    """Share of the signs in capitals; the others are spelled as their label."""
    occluded: float = 0.25
    """Share of the views, except the clear one, with an object in front of the plate."""
    narrow: float = 0.15
    """Share of the views whose last columns are noise."""
    missing: float = 0.05
    """Share of the signs with fewer than four views; the missing ones are noise."""
    smallest: float = 0.6
    largest: float = 0.95
    """Width of the plate."""
    darkest: float = 0.5
    brightest: float = 1.3
    blur: float = 1.8
    """Largest radius in pixels, of views except the clear one."""
    noise: float = 8.0
    """Largest standard deviation, of 255."""
    jpeg: float = 0.4
    """Share of the signs that are compressed as JPEG before."""


@dataclass(frozen=True)
class View:
    """How one view shows the plate."""

    corners: tuple[tuple[float, float], ...]
    """Of the plate, in pixels of the view, from the upper left clockwise."""
    occlusion: Optional[Box]
    """Object in front of the plate: left, top, right, bottom as shares of the plate."""
    light: tuple[float, float, float]
    blur: tuple[float, float]
    noise: float
    width: int
    """Number of columns that are not noise."""


def sign_faces(faces: Faces) -> Faces:
    """Return faces suitable for signs: upright and bold enough; all if none is."""
    return Faces(face for face in faces if not _UNLIKE_SIGNS.search(face.name)) or faces


def picture(settings: SignSettings, faces: Faces, text: str, rng: Any) -> tuple[Array, list[View]]:
    """Draw a sign with this text, uint8 of ``SHAPE``; return it with its views.

    Everything else depends on the generator.
    """
    plate = draw_plate(faces, text, settings.capitals, rng)
    views = plan(settings, plate.height / plate.width, rng)
    scene = _Scene.draw(rng)
    drawn = Image.new("RGB", (SIDE * len(views), SIDE))
    for number, view in enumerate(views):
        drawn.paste(_view(plate, view, scene, rng), (SIDE * number, 0))
    if rng.random() < settings.jpeg:
        drawn = _as_jpeg(drawn, 35 + int(60 * rng.random()))
    pixels = _static(rng)
    for number, view in enumerate(views):
        left = SIDE * number
        seen = np.asarray(drawn.crop((left, 0, left + view.width, SIDE)))
        pixels[:, left : left + view.width] = _expose(seen, view, rng)
    return pixels, views


def plan(settings: SignSettings, ratio: float, rng: Any) -> list[View]:
    """Plan how each view shows a plate with this ratio of height to width."""
    count = VIEWS
    if rng.random() < settings.missing:
        count -= 1 + int(2 * rng.random())
    clear = int(count * rng.random())
    light = between(rng, 0.7, 1.15)
    return [_plan_view(settings, ratio, light, number == clear, rng) for number in range(count)]


def _plan_view(settings: SignSettings, ratio: float, light: float, clear: bool, rng: Any) -> View:
    smallest = settings.smallest
    if clear:
        smallest += (settings.largest - settings.smallest) / 2
    width = SIDE
    if rng.random() < settings.narrow:
        width -= 5 + int(20 * rng.random())
    corners = _corners(between(rng, smallest, settings.largest), ratio, width, clear, rng)
    luck = 1.0 if clear else rng.random()
    occlusion = _random_occlusion(rng) if luck < settings.occluded else None
    light = min(max(light * between(rng, 0.75, 1.3), settings.darkest), settings.brightest)
    tint = tuple(light * between(rng, 0.94, 1.06) for _ in range(3))
    return View(
        corners,
        occlusion,
        (tint[0], tint[1], tint[2]),
        _blur(settings.blur, clear, rng),
        settings.noise * rng.random() ** 2,
        width,
    )


def _corners(
    scale: float, ratio: float, space: int, clear: bool, rng: Any
) -> tuple[tuple[float, float], ...]:
    """Draw positions of the plate's corners: turned, tilted, and inside the view."""
    turn = between(rng, 0.85, 1.0) if clear else 1 - 0.5 * rng.random() ** 2
    width = min(scale * SIDE, 0.97 * space) * turn
    height = min(scale * SIDE * ratio, 0.93 * SIDE)
    tilt = between(rng, -0.1, 0.1) * (0.6 if clear else 1)
    depth = between(rng, -0.5, 0.5) * (1.05 - turn)
    x, y = width / 2, height / 2
    near, far = 1 + depth, 1 - depth
    points = np.array([[-x, -y * near], [x, -y * far], [x, y * far], [-x, y * near]])
    lean = between(rng, -0.06, 0.06)
    points = points @ np.array([[1.0, tilt], [lean - tilt, 1.0]])
    points *= min(1.0, 0.98 * space / np.ptp(points[:, 0]), 0.98 * SIDE / np.ptp(points[:, 1]))
    low, high = points.min(0), points.max(0)
    spread = (np.array([space, SIDE]) - (high - low)) * (0.5 + 0.7 * (rng.random(2) - 0.5))
    return tuple((float(px), float(py)) for px, py in points - low + spread)


def _random_occlusion(rng: Any) -> Box:
    """Draw the box of a post, or of leaves from a side: at most a third of the plate."""
    kind, size, place = rng.random(3)
    if kind < 0.4:
        width = 0.06 + 0.1 * size
        left = place * (1 - width)
        return (left, 0.0, left + width, 1.0)
    width, height = 0.15 + 0.25 * size, 0.3 + 0.35 * place
    left = 0.0 if kind < 0.7 else 1 - width
    top = 0.0 if place < 0.5 else 1 - height
    return (left, top, left + width, top + height)


def _blur(largest: float, clear: bool, rng: Any) -> tuple[float, float]:
    """Draw the blur: out of focus, or moved along one axis."""
    luck, size, axis = rng.random(3)
    if clear:
        return (0.5 * size, 0.5 * size)
    if luck < 0.4:
        return (0.6 * size, 0.6 * size)
    radius = largest * size
    if luck < 0.8:
        return (radius, radius)
    return (radius, 0.3) if axis < 0.7 else (0.3, radius)


# --- drawing a view


def _view(plate: Image.Image, view: View, scene: _Scene, rng: Any) -> Image.Image:
    """Draw the plate on its background, with the object in front of it, blurred."""
    seen = scene.background(rng)
    draw = ImageDraw.Draw(seen)
    if scene.post:
        x = sum(corner[0] for corner in view.corners) / 4
        draw.rectangle((x - 6, view.corners[0][1] - 8, x + 6, SIDE), scene.post)
    low = np.floor(np.min(view.corners, 0)).astype(int) - 1
    high = np.ceil(np.max(view.corners, 0)).astype(int) + 1
    size = (int(high[0] - low[0]), int(high[1] - low[1]))
    where = (int(low[0]), int(low[1]))
    moved = [(x - where[0], y - where[1]) for x, y in view.corners]
    warp = homography(moved, plate_corners(plate.size))
    turned = plate.transform(size, Image.Transform.PERSPECTIVE, warp, Image.Resampling.BILINEAR)
    seen.paste(turned, where, turned)
    if view.occlusion is not None:
        _draw_occlusion(draw, view.corners, view.occlusion, scene, rng)
    if max(view.blur) <= 0.4:
        return seen
    # two boxes are a triangle, near enough to a lens; one is what a moving camera sees
    seen = seen.filter(ImageFilter.BoxBlur(view.blur))
    return seen.filter(ImageFilter.BoxBlur(view.blur)) if view.blur[0] == view.blur[1] else seen


def homography(
    source: Sequence[tuple[float, float]], target: Sequence[tuple[float, float]]
) -> tuple[float, ...]:
    """Return the perspective transform of four points to four others, in Pillow's form."""
    rows = np.zeros((8, 8))
    for number, ((x, y), (u, v)) in enumerate(zip(source, target)):
        rows[2 * number] = (x, y, 1, 0, 0, 0, -u * x, -u * y)
        rows[2 * number + 1] = (0, 0, 0, x, y, 1, -v * x, -v * y)
    return tuple(np.linalg.solve(rows, np.array(target).reshape(8)).tolist())


def _draw_occlusion(
    draw: Any, corners: Sequence[tuple[float, float]], occlusion: Box, scene: _Scene, rng: Any
) -> None:
    """Draw a post across the view if the box is as high as the plate, else leaves."""
    square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]
    warp = np.append(homography(square, corners), 1).reshape(3, 3)
    left, top, right, bottom = occlusion
    if (top, bottom) == (0.0, 1.0):
        ends = _move(warp, np.array([[left, 0], [left, 1], [right, 1], [right, 0]]))
        beyond = 3 * (ends - ends[[1, 0, 3, 2]])
        draw.polygon([tuple(point) for point in (ends + beyond).tolist()], scene.front)
        return
    (x0, y0), (x1, _), _, (_, y3) = corners
    across, down = max(x1 - x0, 1), max(y3 - y0, 1)
    lucks = rng.random((24, 4))
    radii = np.minimum(
        2 + 5 * lucks[:, 2], 0.4 * min((right - left) * across, (bottom - top) * down)
    )
    u = _inside(left, right, 1.4 * radii / across, lucks[:, 0])
    v = _inside(top, bottom, 1.4 * radii / down, lucks[:, 1])
    middles = _move(warp, np.column_stack([u, v]))
    boxes = np.column_stack([middles - radii[:, None], middles + radii[:, None]])
    for box, luck in zip(boxes.tolist(), lucks[:, 3].tolist()):
        draw.ellipse(box, tuple(int(part * (0.6 + 0.6 * luck)) for part in scene.leaf))


def _move(warp: Array, points: Array) -> Array:
    """Transform points of the plate (0 to 1) to pixels of the view."""
    moved = np.column_stack([points, np.ones(len(points))]) @ warp.T
    flat: Array = moved[:, :2] / moved[:, 2:]
    return flat


def _inside(low: float, high: float, margins: Array, parts: Array) -> Array:
    """Return positions between two limits, with a margin to both if there is room."""
    margins = np.minimum(margins, (high - low) / 2)
    return low + margins + parts * (high - low - 2 * margins)


def _expose(seen: Array, view: View, rng: Any) -> Array:
    """Apply light and camera noise to a view."""
    pixels = seen * np.array(view.light, np.float32)
    pixels += _noise(pixels.size, rng).reshape(pixels.shape) * np.float32(view.noise)
    return pixels.clip(0, 255, out=pixels)


def _as_jpeg(image: Image.Image, quality: int) -> Image.Image:
    buffer = io.BytesIO()
    image.save(buffer, "JPEG", quality=quality)
    return Image.open(buffer).convert("RGB")


@functools.cache
def _bank() -> Array:
    """Return a million normal numbers; views use random slices of them, which is fast."""
    return np.random.default_rng(150).standard_normal(1 << 20, np.float32)


@functools.cache
def _static_bank() -> Array:
    return np.random.default_rng(600).integers(0, 256, 1 << 20, np.uint8)


def _noise(count: int, rng: Any) -> Array:
    start = int(rng.random() * ((1 << 20) - count))
    return _bank()[start : start + count]


def _clouds(cells: int, rng: Any) -> Array:
    """Return smooth noise of ``cells`` by ``cells``."""
    return smooth(_noise(cells * cells, rng).reshape(cells, cells), _COARSE, _COARSE)


def _static(rng: Any) -> Array:
    """Return a picture of noise."""
    count = SHAPE[0] * SHAPE[1] * SHAPE[2]
    start = int(rng.random() * ((1 << 20) - count))
    return _static_bank()[start : start + count].reshape(SHAPE).copy()


@dataclass(frozen=True)
class _Scene:
    """The surroundings of a plate, the same in all its views."""

    kind: int
    base: Color
    second: Color
    post: Optional[Color]
    front: Color
    leaf: Color

    @classmethod
    def draw(cls, rng: Any) -> _Scene:
        kind = int(5 * rng.random())
        post = shade((150, 150, 145), 40, rng) if rng.random() < 0.3 else None
        bases = (
            ((186, 172, 150), (150, 140, 128)),
            ((150, 95, 75), (190, 180, 165)),
            ((150, 180, 215), (225, 230, 235)),
            ((45, 65, 30), (110, 130, 70)),
            ((120, 118, 112), (80, 85, 80)),
        )[kind]
        return cls(
            kind,
            shade(bases[0], 45, rng),
            shade(bases[1], 25, rng),
            post,
            shade((90, 85, 80), 50, rng),
            shade((60, 90, 40), 25, rng),
        )

    def background(self, rng: Any) -> Image.Image:
        """Draw the background of one view."""
        strong, weak = ((0.2, 0.06), (0.2, 0.1), (0.3, 0.0), (0.3, 0.35), (0.35, 0.1))[self.kind]
        field = 0.5 + strong * _clouds(2 + int(6 * rng.random()), rng)
        field += weak * _noise(_COARSE * _COARSE, rng).reshape(field.shape)
        levels = Image.fromarray((field * 255).clip(0, 255).astype(np.uint8))
        levels = levels.resize((SIDE, SIDE), Image.Resampling.BILINEAR)
        ramp = np.linspace(self.base, self.second, 256).astype(np.uint8)
        levels.putpalette(ramp.tobytes())
        image = levels.convert("RGB")
        if self.kind in (0, 1) and rng.random() < 0.6:
            self._joints(ImageDraw.Draw(image), rng)
        return image

    def _joints(self, draw: Any, rng: Any) -> None:
        """Draw the lines between bricks or stones."""
        height = (22, 9)[self.kind] + int(8 * rng.random())
        dark = tuple(int(part * 0.8) for part in self.base)
        start = int(rng.random() * height)
        for row, y in enumerate(range(start - height, SIDE, height)):
            draw.line((0, y, SIDE, y), dark)
            for x in range((row % 2) * height - height, SIDE, 2 * height):
                draw.line((x, y, x, y + height), dark)
