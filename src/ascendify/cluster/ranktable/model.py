"""The model behind every template: which rank runs on which device of which server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Optional, TypeVar

from ascendify.cluster.problem import ClusterProblem

Self = TypeVar("Self", bound="Table")

COMPLETED = "completed"
WORLD = "hccl_world_group"


@dataclass(frozen=True)
class Placement:
    """Where a rank runs."""

    rank: int
    server: str
    device: int
    ip: str = ""
    pod: str = ""


class RankEntry(NamedTuple):
    """A rank with every field that any template has for it, and its JSON paths in the file."""

    rank: int
    server: str
    device: int
    ip: str = ""
    pod: str = ""
    path: str = "$"
    server_path: str = "$"
    host_ip: str = ""
    device_port: Optional[int] = None
    host_port: Optional[int] = None
    super_device_id: Optional[int] = None
    backup_device_ip: str = ""
    backup_device_port: Optional[int] = None
    super_pod: str = ""
    group: str = ""
    local_id: Optional[int] = None
    levels: tuple[Any, ...] = ()


class Table(ABC):
    """A rank table; each template is a subclass that mirrors its JSON."""

    template: ClassVar[str]
    rank_key: ClassVar[str] = "rank_id"
    """The key of a rank's number; empty where the template has none."""
    ip_key: ClassVar[str] = "device_ip"
    keeps: ClassVar[frozenset[str]]
    """Optional fields of :class:`RankEntry` that the template can express."""
    hardware: ClassVar[Optional[str]] = None
    """The only hardware that reads this template; None for any."""
    status: str

    @abstractmethod
    def entries(self) -> list[RankEntry]:
        """Return all ranks, in the order of the file."""

    @classmethod
    @abstractmethod
    def build(cls: type[Self], entries: Sequence[RankEntry], status: str = COMPLETED) -> Self:
        """Build a table from entries, which are in the order of their ranks."""

    @abstractmethod
    def own_problems(self) -> Iterator[ClusterProblem]:
        """Yield broken rules that only this template has."""

    @cached_property
    def placements(self) -> tuple[Placement, ...]:
        """Where each rank runs, in the order of the ranks."""
        entries = sorted(self.entries(), key=lambda entry: entry.rank)
        return tuple(Placement(*entry[:5]) for entry in entries)

    @property
    def size(self) -> int:
        """Number of ranks."""
        return len(self.placements)


def by_server(entries: Sequence[RankEntry]) -> dict[str, list[RankEntry]]:
    """Group entries by server, servers in the order of their first entry."""
    found: dict[str, list[RankEntry]] = {}
    for entry in entries:
        found.setdefault(entry.server, []).append(entry)
    return found


def count_problem(
    path: str, stated: Optional[int], listed: int, what: str
) -> Iterator[ClusterProblem]:
    """Report a count that differs from the number of listed entries."""
    if stated is not None and stated != listed:
        yield ClusterProblem(
            path, str(stated), f"it is the number of {what}, {listed}", advice=f'write "{listed}"'
        )
