"""What scripts in tests/emulation say in the end: how many checks met what Keras 3 left out."""

from __future__ import annotations


def endings(done: str, refused: int) -> set[str]:
    """The last line of a script: nothing is refused with Keras 2, so many checks with Keras 3."""
    return {f"{done} with Keras 2, 0 refused", f"{done} with Keras 3, {refused} refused"}
