"""Packages whose newer versions do not work with the TensorFlow 2 of the NPU's adapter."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ascendify.catalog._data import sources, table

_TABLE = "companions"


@dataclass(frozen=True)
class Companion:
    """One package, and up to which version it works."""

    name: str
    below: tuple[int, ...]
    """The first version that does not work."""
    take: str
    """The version to install."""
    why: str
    sources: tuple[str, ...]

    def works(self, version: str) -> bool:
        """Whether a version works; one that is no list of numbers is taken to."""
        numbers = version.split(".")[: len(self.below)]
        if not all(item.isdigit() for item in numbers):
            return True
        return tuple(map(int, numbers)) < self.below


@cache
def companions() -> dict[str, Companion]:
    """Every such package, by its name in lower case."""
    return {
        row["name"]: Companion(
            row["name"],
            tuple(map(int, row["below"].split("."))),
            row["take"],
            row["why"],
            sources(_TABLE, row["source"]),
        )
        for row in table(_TABLE)["packages"]
    }
