"""Draw a contact sheet: samples side by side, each with its label below."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from ascendify.zoo import files
from ascendify.zoo.rendering.backgrounds import Array
from ascendify.zoo.rendering.fonts import SHIPPED, load

_GAP = 6
_LINE = 14
_FONT = str(SHIPPED / "RobotoCondensed-Regular.ttf")


def write_sheet(
    samples: Sequence[tuple[Array, str]], path: Path, columns: int = 8, scale: int = 1
) -> None:
    """Write pictures of one size, uint8 ``[height, width, 3]``, and their labels as a PNG.

    Raises:
        UsageError: the file cannot be written.
    """
    height, width = (side * scale for side in samples[0][0].shape[:2])
    columns = min(columns, len(samples))
    rows = -(-len(samples) // columns)
    sheet = Image.new(
        "RGB", (columns * (width + _GAP) + _GAP, rows * (height + _LINE + _GAP) + _GAP), "white"
    )
    pen = ImageDraw.Draw(sheet)
    font = load(_FONT, _LINE - 2)
    for number, (picture, label) in enumerate(samples):
        row, column = divmod(number, columns)
        place = _GAP + column * (width + _GAP), _GAP + row * (height + _LINE + _GAP)
        sheet.paste(Image.fromarray(picture).resize((width, height)), place)
        pen.text((place[0], place[1] + height), label, "black", font)
    with files.write_atomically(path, "name a PNG in a folder you may write to") as part:
        sheet.save(part, "PNG")
