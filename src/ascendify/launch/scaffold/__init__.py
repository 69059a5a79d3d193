"""Launch scripts for a migrated project, in the layout of the reference guides.

They stand in ``test/`` of the project, with rank tables in ``configs/``, and outlive ascendify:
where it is not installed they run on bash and awk. What differs from project to project is one
file, ``settings.sh``; the others are the same everywhere.
"""

from __future__ import annotations

from ascendify.launch.scaffold.choosing import choose
from ascendify.launch.scaffold.options import Known, read
from ascendify.launch.scaffold.writing import (
    PYTORCH,
    TENSORFLOW,
    Scaffold,
    files,
    network_of,
    write,
)

__all__ = [
    "PYTORCH",
    "TENSORFLOW",
    "Known",
    "Scaffold",
    "choose",
    "files",
    "network_of",
    "read",
    "write",
]
