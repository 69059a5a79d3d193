"""Open picture files of users."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
from PIL import Image, ImageOps

from ascendify.errors import UsageError

_MOST_PIXELS = 178_956_970
"""Pillow's own limit: a larger file is probably an attack."""


def open_rgb(path: Path) -> Image.Image:
    """Open a picture as RGB, as a viewer shows it.

    It is rotated as its EXIF data says, transparent parts become white, and of an animation the
    first picture is used.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as opened:
                return on_white(ImageOps.exif_transpose(opened))
    except Image.DecompressionBombError as error:
        raise UsageError(
            f"{path} has more than {_MOST_PIXELS:,} pixels", "cut it out, or make it smaller"
        ) from error
    except (OSError, SyntaxError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is not a picture, or damaged"
        raise UsageError(f"{path} cannot be read: {reason}", "name a PNG or JPEG") from error


def on_white(picture: Image.Image) -> Image.Image:
    """Convert to RGB, transparent parts white; Pillow alone would clip sixteen-bit pictures."""
    if picture.mode.startswith("I"):
        levels = np.asarray(picture).clip(0, 65535) // 257
        return Image.fromarray(levels.astype(np.uint8)).convert("RGB")
    if picture.has_transparency_data:
        shown = picture.convert("RGBA")
        white = Image.new("RGBA", shown.size, "white")
        return Image.alpha_composite(white, shown).convert("RGB")
    return picture.convert("RGB")
