"""Which words and fonts are for the test alone: by a hash, so that every machine agrees."""

from __future__ import annotations

from hashlib import blake2b


def share(text: str) -> float:
    """A number in [0, 1) that belongs to the text; texts spread evenly."""
    return int.from_bytes(blake2b(text.encode(), digest_size=6).digest(), "big") / 2**48


def held_out(text: str, part: float) -> bool:
    """Whether a text is among the part that is held out for the test."""
    return share(text) < part
