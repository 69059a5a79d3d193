"""Template 1, version 1.0: servers, their devices, a rank each. Atlas training, A2, A3 servers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.cluster.problem import ClusterProblem
from ascendify.cluster.ranktable.model import COMPLETED, RankEntry, Table, by_server, count_problem
from ascendify.cluster.ranktable.schema import digits, items, text

VERSION = "1.0"


@dataclass(frozen=True)
class Device10:
    """A device and its rank."""

    device_id: int = digits()
    rank_id: int = digits()
    device_ip: str = text(optional=True)
    device_port: int | None = digits(optional=True)
    host_port: int | None = digits(optional=True)


@dataclass(frozen=True)
class Server10:
    """A server and its devices."""

    server_id: str = text()
    device: tuple[Device10, ...] = items(Device10)
    host_ip: str = text(optional=True)


@dataclass(frozen=True)
class Table10(Table):
    """A rank table of version 1.0."""

    template = VERSION
    keeps = frozenset({"host_ip", "device_port", "host_port"})

    status: str = text()
    version: str = text()
    server_count: int = digits()
    server_list: tuple[Server10, ...] = items(Server10)

    def entries(self) -> list[RankEntry]:
        """All ranks, in the order of the file."""
        return [
            RankEntry(
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
    def build(cls, entries: Sequence[RankEntry], status: str = COMPLETED) -> Table10:
        """Build a table from entries."""
        servers = tuple(
            Server10(
                name,
                tuple(
                    Device10(entry.device, entry.rank, entry.ip, entry.device_port, entry.host_port)
                    for entry in members
                ),
                members[0].host_ip,
            )
            for name, members in by_server(entries).items()
        )
        return cls(status, VERSION, len(servers), servers)

    def own_problems(self) -> Iterator[ClusterProblem]:
        """Check the count of servers, and that each has a unique name and a device."""
        yield from count_problem(
            "$.server_count", self.server_count, len(self.server_list), "servers in server_list"
        )
        names = [(f"$.server_list[{n}]", s.server_id) for n, s in enumerate(self.server_list)]
        yield from check_names(names, "server_id")
        for number, server in enumerate(self.server_list):
            if not server.device:
                yield ClusterProblem(
                    f"$.server_list[{number}].device",
                    "",
                    "a server has at least one device",
                    advice="list its devices, or remove the server",
                )


def check_names(
    names: Sequence[tuple[str, str]], key: str, longest: int = 64
) -> Iterator[ClusterProblem]:
    """Report names that are empty, too long or not unique; ``names`` are (path, name) pairs."""
    seen: dict[str, str] = {}
    for path, name in names:
        if not 1 <= len(name) <= longest:
            yield ClusterProblem(
                f"{path}.{key}",
                f"{len(name)} characters",
                f"a {key} has 1 to {longest} characters",
                advice="give it a shorter name" if name else "give it a name",
            )
        elif name in seen:
            yield ClusterProblem(
                f"{path}.{key}",
                name,
                f"every {key} appears once",
                advice=f"{seen[name]} has it too; rename one, or list its devices together",
            )
        else:
            seen[name] = path
