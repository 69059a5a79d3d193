"""The memory layout ``channels_last``, which a migration removes because NPUs do not have it.

With that layout a CPU adds up the terms of a convolution in another order: the last digits differ,
and many steps of training make the difference large. So an original that runs on the CPU, with a
pretended GPU, is run without the layout as well.
"""

from __future__ import annotations

from pathlib import Path

from ascendify.verify.project_files import files_of_both, is_python

_NAME = b"torch.channels_last"
PLAIN = {"ASCENDIFY_PLAIN_LAYOUT": "1"}
"""The variable that makes a pretended GPU ignore such layouts."""
NOTE = (
    "the original ran without channels_last, which the migration has removed: with it a CPU adds "
    "up in another order"
)


def is_removed(original: Path, migrated: Path) -> bool:
    """Whether a file of the original names the layout more often than the migrated one does."""
    return any(
        path.read_bytes().count(_NAME) > other.read_bytes().count(_NAME)
        for path, other in files_of_both(original, migrated, is_python)
    )
