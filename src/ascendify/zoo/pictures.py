"""Picture files of users."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from ascendify.errors import UsageError


def open_rgb(path: Path) -> Image.Image:
    """A picture in colours, whatever the file has.

    Raises:
        UsageError: it cannot be read.
    """
    try:
        with Image.open(path) as opened:
            return opened.convert("RGB")
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as error:
        told = getattr(error, "strerror", None) or "it is no picture, or damaged"
        raise UsageError(f"{path} cannot be read: {told}", "name a PNG or JPEG") from error
