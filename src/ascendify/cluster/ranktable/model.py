"""What every rank table is, whatever its template: ranks that sit on devices of servers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Optional, TypeVar

from ascendify.cluster.problem import Problem

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


class Seat(NamedTuple):
    """A placement with all that any template says of it, and where in the file it is said."""

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
    """What a rank's number is written under."""
    ip_key: ClassVar[str] = "device_ip"
    keeps: ClassVar[frozenset[str]]
    """Which optional fields of a seat it can say."""
    hardware: ClassVar[Optional[str]] = None
    """The only hardware that reads it, where there is one."""
    status: str

    @abstractmethod
    def seats(self) -> list[Seat]:
        """All ranks, in the order of the file."""

    @classmethod
    @abstractmethod
    def build(cls: type[Self], seats: Sequence[Seat], status: str = COMPLETED) -> Self:
        """A table that says the same; seats are in the order of their ranks."""

    @abstractmethod
    def own_problems(self) -> Iterator[Problem]:
        """What breaks rules of this template alone."""

    @cached_property
    def placements(self) -> tuple[Placement, ...]:
        """Who sits where, in the order of the ranks."""
        seats = sorted(self.seats(), key=lambda seat: seat.rank)
        return tuple(Placement(*seat[:5]) for seat in seats)

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return len(self.placements)


def by_server(seats: Sequence[Seat]) -> dict[str, list[Seat]]:
    """Seats of each server, in the order in which servers come."""
    found: dict[str, list[Seat]] = {}
    for seat in seats:
        found.setdefault(seat.server, []).append(seat)
    return found


def count_problem(path: str, said: Optional[int], there: int, what: str) -> Iterator[Problem]:
    """A count of the table that is not that of its entries."""
    if said is not None and said != there:
        yield Problem(
            path, str(said), f"it is the number of {what}, {there}", advice=f'write "{there}"'
        )
