"""Environment variables with which torch_npu trains the same numbers faster."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from ascendify.catalog import versions
from ascendify.catalog._data import sources, table

_TABLE = "launch-tuning"


@dataclass(frozen=True)
class TuningVariable:
    """One variable, and what must hold for it."""

    name: str
    value: str
    since: str
    """The first stack that reads this value."""
    unless: tuple[str, ...]
    """Words of a script that decides otherwise."""
    condition: str
    sources: tuple[str, ...]

    @property
    def export(self) -> str:
        """The line of a script that sets it, unless it is set already."""
        return f'export {self.name}="${{{self.name}:-{self.value}}}"'


@cache
def variables() -> tuple[TuningVariable, ...]:
    """Every variable."""
    return tuple(
        TuningVariable(
            row["name"],
            row["value"],
            row["since"],
            tuple(row["unless"]),
            row["condition"],
            sources(_TABLE, row["source"]),
        )
        for row in table(_TABLE)["variables"]
    )


def read_by(stack: str) -> tuple[TuningVariable, ...]:
    """The variables that a stack of the vendor's packages reads."""
    return tuple(
        item for item in variables() if versions.numbers(stack) >= versions.numbers(item.since)
    )
