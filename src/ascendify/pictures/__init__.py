"""Pictures: draw curves over steps with Pillow, which is needed only for pictures.

This room draws; what the curves mean is up to its callers.
"""

from __future__ import annotations

from ascendify.pictures.curves import BLUE, GREY, ORANGE, PALE, Curve, Mark, Panel, Points, draw

__all__ = ["BLUE", "GREY", "ORANGE", "PALE", "Curve", "Mark", "Panel", "Points", "draw"]
