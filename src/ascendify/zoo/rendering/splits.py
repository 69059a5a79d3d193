"""Choose words and fonts for the test by a hash, the same on every machine."""

from __future__ import annotations

from hashlib import blake2b


def share(text: str) -> float:
    """Return a hash of the text in [0, 1)."""
    return int.from_bytes(blake2b(text.encode(), digest_size=6).digest(), "big") / 2**48


def held_out(text: str, part: float) -> bool:
    """Whether a text is in the share that is held out for the test."""
    return share(text) < part
