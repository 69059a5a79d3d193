"""Rewrites after which the same sums are added up in another order.

The last digits of such sums differ, and many steps of training make the difference large. Where the
numbers of a migrated project differ, and it has such a rewrite, a control run of the original with
the same change tells rounding from an error: with the change, the original must agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ascendify.rules.helpers import CTC, LSTM
from ascendify.verify.project_files import files_of_both, is_python
from ascendify.verify.tolerance import REORDERED

OPERATORS = (
    "{module} computes with other operators, which add up in another order: numbers may be "
    f"{REORDERED} times as far apart as usual (--rtol sets another limit)"
)
"""What is said of a project for which no control run is possible."""


@dataclass(frozen=True)
class Reordering:
    """Something of the original that a migration takes out."""

    name: str
    spelling: re.Pattern[bytes]
    """What there is less of in a file of the migrated project."""
    variable: str
    """Makes a pretended GPU compute as if the original did not have it."""


REORDERINGS = (
    Reordering(
        "channels_last", re.compile(rb"\btorch\.channels_last(?:_3d)?\b"), "ASCENDIFY_PLAIN_LAYOUT"
    ),
    Reordering(
        "fused optimizers",
        re.compile(rb"\bfused\s*=\s*True\b|['\"]fused['\"]\s*:\s*True\b"),
        "ASCENDIFY_PLAIN_OPTIMIZERS",
    ),
)


def find_removed(original: Path, migrated: Path) -> tuple[Reordering, ...]:
    """List what files of the original have more of than those of the migrated project."""
    pairs = [
        (path.read_bytes(), other.read_bytes())
        for path, other in files_of_both(original, migrated, is_python)
    ]
    return tuple(
        one
        for one in REORDERINGS
        if any(len(one.spelling.findall(a)) > len(one.spelling.findall(b)) for a, b in pairs)
    )


def variables_without(removed: Sequence[Reordering]) -> Mapping[str, str]:
    """The variables for a control run without these."""
    return {one.variable: "1" for one in removed}


def describe(removed: Sequence[Reordering], largest: float) -> str:
    """Say that numbers agree with those of a control run only.

    Args:
        removed: What the control run did without.
        largest: The largest error of a loss, compared with the original as it is.
    """
    names = " and ".join(one.name for one in removed)
    return (
        f"compared with a control run of the original without {names}, as after the migration, "
        "which adds up the same sums in another order; the original as it is differs by up to "
        f"{largest:.1e}: rounding"
    )


def find_operators(project: Path) -> str:
    """Name the helper module of a project that computes with other operators than the original."""
    return next((file.name for file in project.rglob("npu_*.py") if file.stem in (CTC, LSTM)), "")
