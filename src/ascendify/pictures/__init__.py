"""Pictures: curves over steps, drawn with Pillow, which only those need who ask for a picture.

This room owns pixels. It does not know what the curves are of.
"""

from __future__ import annotations

from ascendify.pictures.curves import BLUE, GREY, ORANGE, PALE, Curve, Mark, Panel, Points, draw

__all__ = ["BLUE", "GREY", "ORANGE", "PALE", "Curve", "Mark", "Panel", "Points", "draw"]
