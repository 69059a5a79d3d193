"""Version 2.0: a list of ranks with their addresses in each layer of the network. Ascend 950.

The limits are those of the vendor's document and, where it is silent (form of an EID, number of
ports, order of the layers), those that HCCL's published reader has.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.cluster.problem import ERROR, WARNING, ClusterProblem, format_value, join_values
from ascendify.cluster.ranktable.model import COMPLETED, RankEntry, Table, count_problem
from ascendify.cluster.ranktable.schema import integer, items, text, texts

VERSION = "2.0"
LAST_LOCAL_ID = 64
MOST_LEVELS = 8
LAST_LAYER = 7
MOST_ADDRESSES = 24
MOST_PORTS = 16
IN_SERVER = 0
"""The layer of the network inside a server."""
NET_TYPES = ("TOPO_FILE_DESC", "CLOS")
_UNDOCUMENTED_NET_TYPES = ("1DMESH", "2DMESH", "A3_SERVER", "A2_AX_SERVER")
ADDRESS_TYPES = ("EID", "IPV4", "IPV6")
PLACEHOLDER_PORT = "0/0"
"""Written where only addresses are known; a server's topology file has the real dies and ports."""
_EID = re.compile(r"[0-9A-Fa-f]{32}")
_PORT = re.compile(r"[0-9]{1,5}/[0-9]{1,5}|d2h")


@dataclass(frozen=True)
class Address20:
    """An address of a rank, and the ports behind it."""

    addr_type: str = text()
    addr: str = text()
    ports: tuple[str, ...] = texts()
    plane_id: str = text(optional=True)


@dataclass(frozen=True)
class Level20:
    """A layer of the network, as one rank sees it."""

    net_layer: int = integer()
    net_instance_id: str = text()
    net_type: str = text()
    rank_addr_list: tuple[Address20, ...] = items(Address20)
    net_attr: str = text(optional=True)


@dataclass(frozen=True)
class Rank20:
    """A rank, its device and its addresses."""

    rank_id: int = integer()
    local_id: int = integer()
    device_id: int = integer()
    level_list: tuple[Level20, ...] = items(Level20)
    device_port: int | None = integer(optional=True)
    host_port: int | None = integer(optional=True)


@dataclass(frozen=True)
class Table20(Table):
    """A rank table of version 2.0."""

    template = VERSION
    hardware = "950"
    ip_key = "level_list"
    keeps = frozenset({"device_port", "host_port", "local_id", "levels"})

    status: str = text()
    version: str = text()
    rank_count: int = integer()
    rank_list: tuple[Rank20, ...] = items(Rank20)

    def entries(self) -> list[RankEntry]:
        """Return all ranks; the network instance of the innermost layer is their server."""
        return [
            RankEntry(
                rank.rank_id,
                _server(rank),
                rank.device_id,
                _ip(rank),
                "",
                f"$.rank_list[{n}]",
                f"$.rank_list[{n}]",
                device_port=rank.device_port,
                host_port=rank.host_port,
                local_id=rank.local_id,
                levels=rank.level_list,
            )
            for n, rank in enumerate(self.rank_list)
        ]

    @classmethod
    def build(cls, entries: Sequence[RankEntry], status: str = COMPLETED) -> Table20:
        """Build a table from entries; an entry without layers gets them from its address."""
        ranks = tuple(
            Rank20(
                entry.rank,
                entry.device if entry.local_id is None else entry.local_id,
                entry.device,
                entry.levels or tuple(_levels(entry)),
                entry.device_port,
                entry.host_port,
            )
            for entry in entries
        )
        return cls(status, VERSION, len(ranks), ranks)

    def own_problems(self) -> Iterator[ClusterProblem]:
        """Check the count, and the limits of ranks, levels and addresses."""
        yield from count_problem(
            "$.rank_count", self.rank_count, len(self.rank_list), "ranks in rank_list"
        )
        locals_: dict[tuple[str, int], str] = {}
        sizes: dict[tuple[int, str], tuple[int, str]] = {}
        owners: dict[str, int] = {}
        for n, rank in enumerate(self.rank_list):
            path = f"$.rank_list[{n}]"
            yield from _rank_problems(path, rank)
            key = _server(rank), rank.local_id
            if locals_.setdefault(key, path) != path:
                yield ClusterProblem(
                    f"{path}.local_id",
                    str(rank.local_id),
                    "a local_id appears once per server",
                    advice=f"{locals_[key]} has it too",
                )
            for m, level in enumerate(rank.level_list):
                where = f"{path}.level_list[{m}]"
                instance = level.net_layer, level.net_instance_id
                size = len(level.rank_addr_list)
                expected, first = sizes.setdefault(instance, (size, where))
                if size != expected:
                    yield ClusterProblem(
                        f"{where}.rank_addr_list",
                        f"{size} addresses",
                        f"ranks have equally many in one net_instance_id: {first} has {expected}",
                        advice="list as many for every rank",
                    )
                yield from _check_shared(where, level, n, owners)


def _server(rank: Rank20) -> str:
    inner = (level for level in rank.level_list if level.net_layer == IN_SERVER)
    return next((level.net_instance_id for level in inner), "")


def _ip(rank: Rank20) -> str:
    """Return the rank's IP address in the network between servers; empty if it has none."""
    outer = sorted(
        rank.level_list, key=lambda level: (level.net_layer == IN_SERVER, level.net_layer)
    )
    found = (a.addr for level in outer for a in level.rank_addr_list if a.addr_type != "EID")
    return next(found, "")


def _levels(entry: RankEntry) -> Iterator[Level20]:
    yield Level20(IN_SERVER, entry.server, "TOPO_FILE_DESC", ())
    if entry.ip:
        kind = "IPV6" if ":" in entry.ip else "IPV4"
        address = Address20(kind, entry.ip, (PLACEHOLDER_PORT,))
        yield Level20(1, "cluster", "CLOS", (address,))


def _rank_problems(path: str, rank: Rank20) -> Iterator[ClusterProblem]:
    for key, value in (("local_id", rank.local_id), ("device_id", rank.device_id)):
        if value > LAST_LOCAL_ID:
            yield ClusterProblem(
                f"{path}.{key}",
                str(value),
                f"it is 0 to {LAST_LOCAL_ID}",
                advice="ls /dev/davinci* lists the devices of a server",
            )
    if not 1 <= len(rank.level_list) <= MOST_LEVELS:
        yield ClusterProblem(
            f"{path}.level_list",
            f"{len(rank.level_list)} levels",
            f"a rank has 1 to {MOST_LEVELS} levels",
            advice="list the layers of the network that the rank is in",
        )
    layers = [level.net_layer for level in rank.level_list]
    if layers != sorted(set(layers)):
        yield ClusterProblem(
            f"{path}.level_list",
            join_values(layers),
            "each net_layer appears once, the lowest first",
            advice="sort the levels",
        )
    for number, level in enumerate(rank.level_list):
        yield from _level_problems(f"{path}.level_list[{number}]", level)


def _level_problems(path: str, level: Level20) -> Iterator[ClusterProblem]:
    if level.net_layer > LAST_LAYER:
        yield ClusterProblem(
            f"{path}.net_layer",
            str(level.net_layer),
            f"it is 0 to {LAST_LAYER}",
            advice="0 is inside a server, 1 between servers, 3 the side of the host",
        )
    if not level.net_instance_id:
        yield ClusterProblem(
            f"{path}.net_instance_id", "", "it is not empty", advice="give it a name"
        )
    if level.net_type not in NET_TYPES:
        known = level.net_type in _UNDOCUMENTED_NET_TYPES
        yield ClusterProblem(
            f"{path}.net_type",
            level.net_type,
            f"it is {' or '.join(NET_TYPES)}",
            WARNING if known else ERROR,
            "TOPO_FILE_DESC inside a server, CLOS between servers",
        )
    if len(level.rank_addr_list) > MOST_ADDRESSES:
        yield ClusterProblem(
            f"{path}.rank_addr_list",
            f"{len(level.rank_addr_list)} addresses",
            f"a level has at most {MOST_ADDRESSES}",
            advice="remove some",
        )
    for number, address in enumerate(level.rank_addr_list):
        yield from _address_problems(f"{path}.rank_addr_list[{number}]", address)


def _address_problems(path: str, address: Address20) -> Iterator[ClusterProblem]:
    if address.addr_type not in ADDRESS_TYPES:
        yield ClusterProblem(
            f"{path}.addr_type",
            address.addr_type,
            f"it is {', '.join(ADDRESS_TYPES)}",
            advice="EID for the 950's own network",
        )
    elif not _valid(address):
        expected = "32 hexadecimal digits" if address.addr_type == "EID" else "an IP address"
        yield ClusterProblem(
            f"{path}.addr",
            format_value(address.addr),
            f"an {address.addr_type} is {expected}",
            advice="correct it, or the addr_type",
        )
    if not 1 <= len(address.ports) <= MOST_PORTS:
        yield ClusterProblem(
            f"{path}.ports",
            f"{len(address.ports)} ports",
            f"an address has 1 to {MOST_PORTS} ports",
            advice="the topology file of the server names them",
        )
    for number, port in enumerate(address.ports):
        if _PORT.fullmatch(port) is None:
            yield ClusterProblem(
                f"{path}.ports[{number}]",
                format_value(port),
                "it is die/port, such as 0/1, or d2h",
                advice="the topology file of the server names them",
            )


def _valid(address: Address20) -> bool:
    if address.addr_type == "EID":
        return _EID.fullmatch(address.addr) is not None
    try:
        version = ipaddress.ip_address(address.addr).version
    except ValueError:
        return False
    return address.addr_type == f"IPV{version}"


def _check_shared(
    path: str, level: Level20, rank: int, owners: dict[str, int]
) -> Iterator[ClusterProblem]:
    """Report addresses of a level that another rank has too."""
    for number, address in enumerate(level.rank_addr_list):
        owner = owners.setdefault(address.addr.lower(), rank)
        if owner != rank:
            yield ClusterProblem(
                f"{path}.rank_addr_list[{number}].addr",
                address.addr,
                "an address belongs to one rank",
                advice=f"$.rank_list[{owner}] has it too",
            )
