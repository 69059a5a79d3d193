"""Template 1, version 1.0: servers, their devices, a rank each. Atlas training, A2, A3 servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.cluster.problem import Problem
from ascendify.cluster.ranktable.model import COMPLETED, Seat, Table, by_server, count_problem
from ascendify.cluster.ranktable.schema import digits, items, text

VERSION = "1.0"


@dataclass(frozen=True)
class Device:
    """A device and its rank."""

    device_id: int = digits()
    rank_id: int = digits()
    device_ip: str = text(optional=True)
    device_port: int | None = digits(optional=True)
    host_port: int | None = digits(optional=True)


@dataclass(frozen=True)
class Server:
    """A server and its devices."""

    server_id: str = text()
    device: tuple[Device, ...] = items(Device)
    host_ip: str = text(optional=True)


@dataclass(frozen=True)
class Table10(Table):
    """A rank table of version 1.0."""

    template = VERSION
    keeps = frozenset({"host_ip", "device_port", "host_port"})

    status: str = text()
    version: str = text()
    server_count: int = digits()
    server_list: tuple[Server, ...] = items(Server)

    def seats(self) -> list[Seat]:
        """All ranks, in the order of the file."""
        return [
            Seat(
                device.rank_id,
                server.server_id,
                device.device_id,
                device.device_ip,
                "",
                f"$.server_list[{s}].device[{d}]",
                f"$.server_list[{s}]",
                server.host_ip,
                device.device_port,
                device.host_port,
            )
            for s, server in enumerate(self.server_list)
            for d, device in enumerate(server.device)
        ]

    @classmethod
    def build(cls, seats: Sequence[Seat], status: str = COMPLETED) -> Table10:
        """A table that says the same."""
        servers = tuple(
            Server(
                name,
                tuple(
                    Device(seat.device, seat.rank, seat.ip, seat.device_port, seat.host_port)
                    for seat in members
                ),
                members[0].host_ip,
            )
            for name, members in by_server(seats).items()
        )
        return cls(status, VERSION, len(servers), servers)

    def own_problems(self) -> Iterator[Problem]:
        """The count of servers, and that each has a name of its own and a device."""
        yield from count_problem(
            "$.server_count", self.server_count, len(self.server_list), "servers in server_list"
        )
        names = [(f"$.server_list[{n}]", s.server_id) for n, s in enumerate(self.server_list)]
        yield from named_once(names, "server_id")
        for number, server in enumerate(self.server_list):
            if not server.device:
                yield Problem(
                    f"$.server_list[{number}].device",
                    "",
                    "a server has a device at least",
                    advice="list its devices, or remove the server",
                )


def named_once(names: Sequence[tuple[str, str]], key: str, longest: int = 64) -> Iterator[Problem]:
    """Names that are empty, too long or not unique; each comes with the path of its object."""
    seen: dict[str, str] = {}
    for path, name in names:
        if not 1 <= len(name) <= longest:
            yield Problem(
                f"{path}.{key}",
                f"{len(name)} characters",
                f"a {key} has 1 to {longest} characters",
                advice="give it a shorter name" if name else "give it a name",
            )
        elif name in seen:
            yield Problem(
                f"{path}.{key}",
                name,
                f"every {key} is there once",
                advice=f"{seen[name]} has it too; rename one, or list its devices together",
            )
        else:
            seen[name] = path
