"""Check the rules that hold for every template: ranks, devices, addresses, ports, hardware."""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from ascendify.cluster import topology
from ascendify.cluster.problem import ERROR, WARNING, ClusterProblem, format_value, join_values
from ascendify.cluster.ranktable.environment_check import disagreements
from ascendify.cluster.ranktable.model import COMPLETED, RankEntry, Table, by_server

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
) -> list[ClusterProblem]:
    """Return a problem for each broken rule, in the order to fix them.

    With an environment, contradictions between it and the table are problems too; ``source`` is
    the table's file.
    """
    entries = table.entries()
    name = hardware or table.hardware
    found = [
        *_head(table, hardware, entries),
        *table.own_problems(),
        *_ranks(table, entries),
        *_devices(name, entries),
        *topology.problems(name, _used_devices(entries)),
        *_addresses(table, name, entries),
        *_backups(entries),
        *_ports(entries),
    ]
    if environment is not None:
        found += disagreements(table, entries, environment, source)
    return found


def _head(
    table: Table, hardware: str | None, entries: Sequence[RankEntry]
) -> Iterator[ClusterProblem]:
    if hardware and table.hardware and topology.find(hardware).name != table.hardware:
        yield ClusterProblem(
            "$",
            f"template {table.template}",
            f"only {table.hardware} reads it",
            advice="ascendify ranktable convert writes template 1.0",
        )
    if table.status != COMPLETED:
        waiting = table.status == _INITIALIZING
        yield ClusterProblem(
            "$.status",
            format_value(table.status),
            f"the status of a usable table is {COMPLETED}",
            advice="the program that writes the table has not finished"
            if waiting
            else "write completed",
        )
    version = getattr(table, "version", table.template)
    if version != table.template:
        yield ClusterProblem(
            "$.version",
            format_value(version),
            "the version is 1.0 or 1.2 for servers, 2.0 for a list of ranks",
            advice=f'write "{table.template}"',
        )
    if not entries:
        yield ClusterProblem(
            "$", "", "a table has at least one device", advice="list the devices of the job"
        )


def _ranks(table: Table, entries: Sequence[RankEntry]) -> Iterator[ClusterProblem]:
    """Check that ranks are 0 to N - 1, each once, and consecutive on each server."""
    size = len(entries)
    first: dict[int, str] = {}
    ranks = {entry.rank for entry in entries}
    missing = sorted(set(range(size)) - ranks)
    free = f"free: {join_values(missing)}"
    wrong = False
    for entry in entries:
        taken = first.setdefault(entry.rank, entry.path)
        if entry.rank >= size:
            wrong = True
            yield ClusterProblem(
                f"{entry.path}.{table.rank_key}",
                str(entry.rank),
                f"ranks are 0 to {size - 1}, as many as there are devices",
                advice=free,
            )
        elif taken != entry.path:
            wrong = True
            yield ClusterProblem(
                f"{entry.path}.{table.rank_key}",
                str(entry.rank),
                "every rank_id appears once",
                advice=f"{taken} has it too; {free}",
            )
    if not wrong:
        yield from _check_order(entries)


def _check_order(entries: Sequence[RankEntry]) -> Iterator[ClusterProblem]:
    for name, members in by_server(entries).items():
        ranks = sorted(entry.rank for entry in members)
        if ranks[-1] - ranks[0] >= len(ranks):
            yield ClusterProblem(
                members[0].server_path,
                join_values(ranks),
                f"the ranks of a server follow each other: those of {name} do not",
                advice="number the ranks server by server",
            )


def _devices(hardware: str | None, entries: Sequence[RankEntry]) -> Iterator[ClusterProblem]:
    """Check that a device appears once, or once for each process with its own ``device_port``."""
    shares = hardware is None or topology.find(hardware).shares_devices
    times = Counter((entry.server, entry.device) for entry in entries)
    if len(times) == len(entries):
        return
    first: dict[tuple[str, int, int | None], str] = {}
    for entry in entries:
        port = entry.device_port if shares else None
        if times[entry.server, entry.device] == 1:
            continue
        taken = first.setdefault((entry.server, entry.device, port), entry.path)
        if taken != entry.path:
            yield ClusterProblem(
                f"{entry.path}.device_id",
                str(entry.device),
                "a device appears once per server",
                advice=f"{taken} has it too; processes that share a device have a device_port each",
            )


def _used_devices(entries: Sequence[RankEntry]) -> list[topology.UsedDevices]:
    return [
        topology.UsedDevices(members[0].server_path, server, [entry.device for entry in members])
        for server, members in by_server(entries).items()
    ]


def _addresses(
    table: Table, hardware: str | None, entries: Sequence[RankEntry]
) -> Iterator[ClusterProblem]:
    yield from _lacking(table, hardware, entries)
    owners: dict[bytes, RankEntry] = {}
    hosts: set[str] = set()
    for entry in entries:
        # Template 2.0 has levels, and checks its addresses itself.
        if entry.ip and not entry.levels:
            yield from _address(f"{entry.path}.{table.ip_key}", entry.ip)
            owner = owners.setdefault(_pack(entry.ip) or entry.ip.encode(), entry)
            if (owner.server, owner.device) != (entry.server, entry.device):
                yield ClusterProblem(
                    f"{entry.path}.{table.ip_key}",
                    entry.ip,
                    "an address belongs to one device",
                    advice=f"{owner.path} has it too; {_NO_ADDRESS}",
                )
        if entry.host_ip and entry.server_path not in hosts:
            hosts.add(entry.server_path)
            yield from _address(f"{entry.server_path}.host_ip", entry.host_ip)


def _lacking(
    table: Table, hardware: str | None, entries: Sequence[RankEntry]
) -> Iterator[ClusterProblem]:
    """Report devices without an address: newer hardware allows that on a single server, for all."""
    lacking = [entry for entry in entries if not entry.ip and not entry.levels]
    if not lacking:
        return
    servers = len({entry.server for entry in entries})
    if servers > 1 and not _one_super_pod(entries):
        severity, rule = ERROR, "with several servers every device has an address"
    elif len(lacking) < len(entries):
        severity, rule = ERROR, "all devices have an address, or none has"
    elif hardware is None or topology.find(hardware).needs_addresses:
        severity = WARNING if hardware is None else ERROR
        rule = "on 910A every device has an address"
    else:
        return
    for entry in lacking:
        yield ClusterProblem(f"{entry.path}.{table.ip_key}", "", rule, severity, _NO_ADDRESS)


def _one_super_pod(entries: Sequence[RankEntry]) -> bool:
    """Whether all devices are in one super pod, and so need no network between servers."""
    pods = {entry.super_pod for entry in entries}
    return len(pods) == 1 and all(entry.super_device_id is not None for entry in entries)


def _address(path: str, text: str) -> Iterator[ClusterProblem]:
    if _pack(text) is None:
        yield ClusterProblem(path, format_value(text), "it is an IP address", advice=_NO_ADDRESS)
        return
    if not text.startswith(("0", "127.", "2", "f", "F", ":")):
        return
    address = ipaddress.ip_address(text)
    if address.is_unspecified or address.is_multicast:
        yield ClusterProblem(path, text, "it is the address of one device", advice=_NO_ADDRESS)
    elif address.is_loopback and not path.endswith("host_ip"):
        yield ClusterProblem(path, text, "other servers cannot reach it", WARNING, _NO_ADDRESS)


@lru_cache(maxsize=1 << 16)
def _pack(text: str) -> bytes | None:
    """Return an address as bytes, equal for all its spellings; None if it is not an address."""
    try:
        return ipaddress.ip_address(text).packed
    except ValueError:
        return None


def _backups(entries: Sequence[RankEntry]) -> Iterator[ClusterProblem]:
    """Check that a backup address is that of the NPU's other device: 0 and 1 are one NPU, ..."""
    backed = [entry for entry in entries if entry.backup_device_ip]
    known = (
        {(entry.server, entry.device): entry.ip for entry in entries if entry.ip} if backed else {}
    )
    for entry in backed:
        path = f"{entry.path}.backup_device_ip"
        yield from _address(path, entry.backup_device_ip)
        other = known.get((entry.server, entry.device ^ 1))
        expected = other is None or _pack(entry.backup_device_ip) == _pack(other)
        if entry.backup_device_ip == entry.ip or not expected:
            yield ClusterProblem(
                path,
                entry.backup_device_ip,
                "the backup is the address of the other device of the same NPU",
                advice=f"write {other}" if other else f"that of device {entry.device ^ 1}",
            )


def _ports(entries: Iterable[RankEntry]) -> Iterator[ClusterProblem]:
    taken: dict[tuple[str, int], str] = {}
    for entry in entries:
        for key in ("device_port", "host_port", "backup_device_port"):
            port = getattr(entry, key)
            if port is None:
                continue
            path = f"{entry.path}.{key}"
            if port not in _PORTS:
                yield ClusterProblem(
                    path, str(port), "a port is 1 to 65535", advice="such as 16666"
                )
            elif port <= _RESERVED:
                rule = f"ports up to {_RESERVED} belong to the system"
                yield ClusterProblem(
                    path, str(port), rule, WARNING, "take a higher one, such as 16666"
                )
            if key == "host_port" and taken.setdefault((entry.server, port), path) != path:
                yield ClusterProblem(
                    path,
                    str(port),
                    "a host_port appears once per server",
                    advice=f"{taken[entry.server, port]} has it too",
                )
