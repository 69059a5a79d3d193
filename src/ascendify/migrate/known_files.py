"""Facts about files that depend on their contents alone, stored between runs of ``check``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import astuple, dataclass, field, fields
from typing import Any

from ascendify.migrate.discovery import SourceFiles
from ascendify.migrate.tensorflow_evidence import ReleaseEvidence
from ascendify.migrate.traits import Traits
from ascendify.source.module import CallNames

_SETS = ("frameworks", "methods")
"""Traits that are sets, which JSON does not have."""


@dataclass(frozen=True)
class KnownFiles:
    """Path -> the facts found in a file."""

    traits: Mapping[str, Traits] = field(default_factory=dict)
    calls: Mapping[str, CallNames] = field(default_factory=dict)
    """File -> the names it calls, for files in which calls were searched."""

    def rows(self, sources: SourceFiles) -> dict[str, list[Any]]:
        """Return the digest and the facts of each file, in a form that JSON can store."""
        return {
            path: [
                sources.digest(path),
                _traits_row(traits),
                [self.calls[path].digest, *sorted(self.calls[path].names)]
                if path in self.calls
                else [],
            ]
            for path, traits in self.traits.items()
            if path.endswith((".py", ".pyw"))
        }

    @classmethod
    def of_rows(cls, rows: Mapping[str, list[Any]], sources: SourceFiles) -> KnownFiles:
        """Return the stored facts of the files whose contents have not changed."""
        same = {path: row for path, row in rows.items() if sources.digest(path) == row[0]}
        return cls(
            {path: _traits(row[1]) for path, row in same.items()},
            {
                path: CallNames(path, row[2][0], frozenset(row[2][1:]))
                for path, row in same.items()
                if row[2]
            },
        )


def _traits_row(traits: Traits) -> dict[str, Any]:
    row = {item.name: getattr(traits, item.name) for item in fields(traits)}
    evidence = None if traits.tensorflow is None else astuple(traits.tensorflow)
    return {**row, **{name: sorted(row[name]) for name in _SETS}, "tensorflow": evidence}


def _traits(row: dict[str, Any]) -> Traits:
    evidence = None if row["tensorflow"] is None else _evidence(row["tensorflow"])
    sets = {name: frozenset(row[name]) for name in _SETS}
    return Traits(**{**row, **sets, "imports": tuple(row["imports"]), "tensorflow": evidence})


def _evidence(row: list[Any]) -> ReleaseEvidence:
    only, *rest = row
    return ReleaseEvidence(tuple((release, tuple(names)) for release, names in only), *rest)
