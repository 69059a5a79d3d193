"""Make a rank table from the servers that a user names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from ascendify.cluster.inventory import (
    DEVICES,
    Inventory,
    from_counts,
    from_file,
    from_hccn,
    from_hosts,
    with_addresses,
)
from ascendify.cluster.problem import ClusterProblem, errors
from ascendify.cluster.ranktable.checking import check
from ascendify.cluster.ranktable.converting import create
from ascendify.cluster.ranktable.model import Table
from ascendify.cluster.ranktable.templates import find
from ascendify.cluster.topology import inventory_problems
from ascendify.errors import UsageError


@dataclass(frozen=True)
class TableRequest:
    """The options of ``ascendify ranktable create``."""

    servers: int | None = None
    devices: int | None = None
    hosts: str | None = None
    inventory: Path | None = None
    hccn: tuple[str, ...] = ()
    """``SERVER=FILE`` each."""
    template: str = "1.0"
    hardware: str | None = None
    addresses: bool = True
    """Whether devices without an address get one that is made up."""


def make(request: TableRequest, warn: Callable[[str], None]) -> tuple[Table, list[ClusterProblem]]:
    """Make a table, and list what is wrong with it.

    Raises:
        UsageError: there can be no such table.
    """
    find(request.template)
    found = _inventory(request)
    wrong = errors(inventory_problems(request.hardware, found))
    if wrong:
        raise UsageError(str(wrong[0]), wrong[0].advice)
    lacking = any(not device.ip for server in found.servers for device in server.devices)
    if request.addresses and lacking:
        found = with_addresses(found)
        warn("addresses were made up: put in those of /etc/hccn.conf, or give --hccn")
    table = create(found, request.template)
    if request.template == "2.0":
        warn("ports are 0/0: the topology file of the servers has the true ones")
    return table, check(table, hardware=request.hardware)


def _inventory(request: TableRequest) -> Inventory:
    """The servers; from one option, or the user would not know which counts."""
    servers, devices, hosts = request.servers, request.devices, request.hosts
    file, hccn = request.inventory, request.hccn or None
    sources = {"--servers": servers, "--hosts": hosts, "--inventory": file, "--hccn": hccn}
    given = [name for name, value in sources.items() if value is not None]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} exclude each other", "give one of them")
    if not given and devices is None:
        raise UsageError("there is nothing to make a table of", f"give {', '.join(sources)}")
    if devices is not None and (file is not None or hccn is not None):
        raise UsageError(f"{given[0]} says which devices there are", "leave --devices out")
    count = DEVICES if devices is None else devices
    if hosts is not None:
        return from_hosts(hosts, count)
    if file is not None:
        return from_file(file)
    if hccn is not None:
        return from_hccn(_by_server(hccn))
    return from_counts(1 if servers is None else servers, count, addresses=False)


def _by_server(arguments: Iterable[str]) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for argument in arguments:
        server, sign, file = argument.partition("=")
        if not (server and sign and file):
            raise UsageError(f"--hccn {argument} names no server", "write --hccn SERVER=FILE")
        if server in found:
            raise UsageError(f"--hccn names {server} twice", "give each server once")
        found[server] = Path(file)
    return found
