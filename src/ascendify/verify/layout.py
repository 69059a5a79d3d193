"""Layouts of tensors that a migration takes out.

NPUs know no ``channels_last``, so the migrated project does without. On a CPU convolutions add up
in another order with it: the last digits differ, and many steps of training make them large. The
original then runs without it as well, as far as its GPU is pretended.
"""

from __future__ import annotations

from pathlib import Path

from ascendify.verify.shadowed import in_both

_NAME = b"torch.channels_last"
PLAIN = {"ASCENDIFY_PLAIN_LAYOUT": "1"}
"""Lets a pretended GPU leave such layouts out."""
NOTE = (
    "the original ran without channels_last, which the migration has taken out: with it a CPU adds "
    "up in another order"
)


def is_taken_out(original: Path, migrated: Path) -> bool:
    """Whether a file of the original names the layout more often than the migrated one does."""
    return any(
        path.read_bytes().count(_NAME) > other.read_bytes().count(_NAME)
        for path, other in in_both(original, migrated, lambda name: name.endswith(".py"))
    )
