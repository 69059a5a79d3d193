"""The rules of rank tables, whatever the template: ranks, devices, addresses, ports, hardware."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from ascendify.cluster import topology
from ascendify.cluster.problem import ERROR, WARNING, Problem, listed, shown
from ascendify.cluster.ranktable.agreement import disagreements
from ascendify.cluster.ranktable.model import COMPLETED, Seat, Table, by_server

_PORTS = range(1, 65536)
_RESERVED = 1023
_INITIALIZING = "initializing"
_NO_ADDRESS = "hccn_tool -i 0 -ip -g, or /etc/hccn.conf, says it"


def check(
    table: Table,
    environment: Mapping[str, str] | None = None,
    hardware: str | None = None,
    *,
    source: str = "",
) -> list[Problem]:
    """Every rule that a table breaks, in the order people would fix them; none: it is right.

    With an environment, also where it and the table disagree; ``source`` is the table's file.
    """
    seats = table.seats()
    name = hardware or table.hardware
    found = [
        *_head(table, hardware, seats),
        *table.own_problems(),
        *_ranks(table, seats),
        *_devices(name, seats),
        *topology.problems(name, _used(seats)),
        *_addresses(table, name, seats),
        *_backups(seats),
        *_ports(seats),
    ]
    if environment is not None:
        found += disagreements(table, seats, environment, source)
    return found


def _head(table: Table, hardware: str | None, seats: Sequence[Seat]) -> Iterator[Problem]:
    if hardware and table.hardware and topology.find(hardware).name != table.hardware:
        yield Problem(
            "$",
            f"template {table.template}",
            f"only {table.hardware} reads it",
            advice="ascendify ranktable convert writes template 1.0",
        )
    if table.status != COMPLETED:
        waiting = table.status == _INITIALIZING
        yield Problem(
            "$.status",
            shown(table.status),
            f"the status of a usable table is {COMPLETED}",
            advice="whoever writes the table has not finished" if waiting else "write completed",
        )
    version = getattr(table, "version", table.template)
    if version != table.template:
        yield Problem(
            "$.version",
            shown(version),
            "the version is 1.0 or 1.2 for servers, 2.0 for a list of ranks",
            advice=f'write "{table.template}"',
        )
    if not seats:
        yield Problem("$", "", "there is a device at least", advice="list the devices of the job")


def _ranks(table: Table, seats: Sequence[Seat]) -> Iterator[Problem]:
    """Ranks are 0 to N - 1, each once, and those of a server follow each other."""
    size = len(seats)
    first: dict[int, str] = {}
    ranks = {seat.rank for seat in seats}
    missing = sorted(set(range(size)) - ranks)
    free = f"free: {listed(missing)}"
    wrong = False
    for seat in seats:
        taken = first.setdefault(seat.rank, seat.path)
        if seat.rank >= size:
            wrong = True
            yield Problem(
                f"{seat.path}.{table.rank_key}",
                str(seat.rank),
                f"ranks are 0 to {size - 1}, as many as there are devices",
                advice=free,
            )
        elif taken != seat.path:
            wrong = True
            yield Problem(
                f"{seat.path}.{table.rank_key}",
                str(seat.rank),
                "every rank_id is there once",
                advice=f"{taken} has it too; {free}",
            )
    if not wrong:
        yield from _interleaved(seats)


def _interleaved(seats: Sequence[Seat]) -> Iterator[Problem]:
    for name, members in by_server(seats).items():
        ranks = sorted(seat.rank for seat in members)
        if ranks[-1] - ranks[0] >= len(ranks):
            yield Problem(
                members[0].server_path,
                listed(ranks),
                f"the ranks of a server follow each other: those of {name} do not",
                advice="number the ranks server by server",
            )


def _devices(hardware: str | None, seats: Sequence[Seat]) -> Iterator[Problem]:
    """A device is there once, or once for each of its processes, told apart by their ports."""
    shares = hardware is None or topology.find(hardware).shares_devices
    times = Counter((seat.server, seat.device) for seat in seats)
    if len(times) == len(seats):
        return
    first: dict[tuple[str, int, int | None], str] = {}
    for seat in seats:
        port = seat.device_port if shares else None
        if times[seat.server, seat.device] == 1:
            continue
        taken = first.setdefault((seat.server, seat.device, port), seat.path)
        if taken != seat.path:
            yield Problem(
                f"{seat.path}.device_id",
                str(seat.device),
                "a device is there once on its server",
                advice=f"{taken} has it too; processes that share a device have a device_port each",
            )


def _used(seats: Sequence[Seat]) -> list[topology.Used]:
    return [
        topology.Used(members[0].server_path, server, [seat.device for seat in members])
        for server, members in by_server(seats).items()
    ]


def _addresses(table: Table, hardware: str | None, seats: Sequence[Seat]) -> Iterator[Problem]:
    yield from _lacking(table, hardware, seats)
    owners: dict[bytes, Seat] = {}
    hosts: set[str] = set()
    for seat in seats:
        # The version that has levels looks at its addresses itself.
        if seat.ip and not seat.levels:
            yield from _address(f"{seat.path}.{table.ip_key}", seat.ip)
            owner = owners.setdefault(_packed(seat.ip) or seat.ip.encode(), seat)
            if (owner.server, owner.device) != (seat.server, seat.device):
                yield Problem(
                    f"{seat.path}.{table.ip_key}",
                    seat.ip,
                    "an address belongs to one device",
                    advice=f"{owner.path} has it too; {_NO_ADDRESS}",
                )
        if seat.host_ip and seat.server_path not in hosts:
            hosts.add(seat.server_path)
            yield from _address(f"{seat.server_path}.host_ip", seat.host_ip)


def _lacking(table: Table, hardware: str | None, seats: Sequence[Seat]) -> Iterator[Problem]:
    """Devices without an address: allowed on a single server of newer hardware, for all or none."""
    lacking = [seat for seat in seats if not seat.ip and not seat.levels]
    if not lacking:
        return
    servers = len({seat.server for seat in seats})
    if servers > 1 and not _one_super_pod(seats):
        severity, rule = ERROR, "with several servers every device has an address"
    elif len(lacking) < len(seats):
        severity, rule = ERROR, "all devices have an address, or none has"
    elif hardware is None or topology.find(hardware).needs_addresses:
        severity = WARNING if hardware is None else ERROR
        rule = "on 910A every device has an address"
    else:
        return
    for seat in lacking:
        yield Problem(f"{seat.path}.{table.ip_key}", "", rule, severity, _NO_ADDRESS)


def _one_super_pod(seats: Sequence[Seat]) -> bool:
    """Whether all devices reach each other without a network of servers."""
    pods = {seat.super_pod for seat in seats}
    return len(pods) == 1 and all(seat.super_device_id is not None for seat in seats)


def _address(path: str, text: str) -> Iterator[Problem]:
    if _packed(text) is None:
        yield Problem(path, shown(text), "it is an IP address", advice=_NO_ADDRESS)
        return
    if not text.startswith(("0", "127.", "2", "f", "F", ":")):
        return
    address = ipaddress.ip_address(text)
    if address.is_unspecified or address.is_multicast:
        yield Problem(path, text, "it is the address of one device", advice=_NO_ADDRESS)
    elif address.is_loopback and not path.endswith("host_ip"):
        yield Problem(path, text, "other servers cannot reach it", WARNING, _NO_ADDRESS)


@lru_cache(maxsize=1 << 16)
def _packed(text: str) -> bytes | None:
    """An address as bytes, the same however it is spelled; None for what is none."""
    try:
        return ipaddress.ip_address(text).packed
    except ValueError:
        return None


def _backups(seats: Sequence[Seat]) -> Iterator[Problem]:
    """A backup is the other device of the same NPU: devices 0 and 1 are one, 2 and 3, and so on."""
    backed = [seat for seat in seats if seat.backup_device_ip]
    known = {(seat.server, seat.device): seat.ip for seat in seats if seat.ip} if backed else {}
    for seat in backed:
        path = f"{seat.path}.backup_device_ip"
        yield from _address(path, seat.backup_device_ip)
        other = known.get((seat.server, seat.device ^ 1))
        expected = other is None or _packed(seat.backup_device_ip) == _packed(other)
        if seat.backup_device_ip == seat.ip or not expected:
            yield Problem(
                path,
                seat.backup_device_ip,
                "the backup is the address of the other device of the same NPU",
                advice=f"write {other}" if other else f"that of device {seat.device ^ 1}",
            )


def _ports(seats: Iterable[Seat]) -> Iterator[Problem]:
    taken: dict[tuple[str, int], str] = {}
    for seat in seats:
        for key in ("device_port", "host_port", "backup_device_port"):
            port = getattr(seat, key)
            if port is None:
                continue
            path = f"{seat.path}.{key}"
            if port not in _PORTS:
                yield Problem(path, str(port), "a port is 1 to 65535", advice="such as 16666")
            elif port <= _RESERVED:
                rule = f"ports up to {_RESERVED} belong to the system"
                yield Problem(path, str(port), rule, WARNING, "take a higher one, such as 16666")
            if key == "host_port" and taken.setdefault((seat.server, port), path) != path:
                yield Problem(
                    path,
                    str(port),
                    "a host_port is there once on its server",
                    advice=f"{taken[seat.server, port]} has it too",
                )
