"""What to write instead of a name that an NPU, or a release of a library, does not have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Union

from ascendify.catalog import advice
from ascendify.catalog._data import sources, table
from ascendify.findings import Effort, Status


@dataclass(frozen=True)
class Replacement:
    """What a person must do about one name, and how much work that is."""

    todo: str
    status: Status = Status.MANUAL
    effort: Effort = Effort.MINUTES


@cache
def all_of(topic: str) -> dict[str, Replacement]:
    """Every entry of a topic such as ``horovod``, by name."""
    return {name: _replacement(row) for name, row in _topic(topic)["names"].items()}


@cache
def texts(topic: str) -> dict[str, str]:
    """What to do about each name of a topic."""
    return {name: found.todo for name, found in all_of(topic).items()}


def find(topic: str, name: str) -> Replacement | None:
    """The entry of a name, or of the class or module that it is part of."""
    while name and name not in all_of(topic):
        name = name.rpartition(".")[0]
    return all_of(topic).get(name)


def source(topic: str) -> tuple[str, ...]:
    """Where the facts of a topic come from."""
    return sources("replacements", _topic(topic)["source"])


def topics() -> tuple[str, ...]:
    """The names of all topics."""
    return tuple(table("replacements")["topics"])


def _topic(name: str) -> dict[str, Any]:
    found: dict[str, Any] = table("replacements")["topics"][name]
    return found


def _replacement(row: Union[str, Mapping[str, str]]) -> Replacement:
    if isinstance(row, str):
        return Replacement(advice.expanded(row))
    status, effort = row.get("status", Status.MANUAL), row.get("effort", Effort.MINUTES)
    return Replacement(advice.expanded(row["todo"]), Status(status), Effort(effort))
