"""Examine the ports that training needs: free, or used by which process."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ascendify.cluster import variables
from ascendify.cluster.doctor import process_table
from ascendify.cluster.doctor.machine import Machine
from ascendify.cluster.doctor.observation import Observation, Subject

SUBJECT = Subject("ports")
_TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
_RELEASED = "06"
"""The state of a socket that has been closed (TIME_WAIT)."""
_HCCL = "HCCL"
_BASE = "HCCL_IF_BASE_PORT"
_RANGE = "HCCL_HOST_SOCKET_PORT_RANGE"
_DEFAULT_BASE = 60000
_HOW_MANY = 16
_SINGLE = ("MASTER_PORT", "CM_CHIEF_PORT")
_ASSIGNED = "/proc/sys/net/ipv4/ip_local_port_range"
_RESERVED = "/proc/sys/net/ipv4/ip_local_reserved_ports"


def observe(machine: Machine, has_npu: bool) -> Iterator[Observation]:
    """Examine the ports of the host that HCCL uses, and those of the rendezvous."""
    taken = _sockets(machine)
    if taken is None:
        yield SUBJECT.not_seen("there is no /proc/net/tcp here")
        return
    for label, ports in _needed_ports(machine):
        found = {port: taken[port] for port in ports if port in taken}
        needed = has_npu or not label.startswith(_HCCL)
        for port, inodes in sorted(found.items()):
            kind = SUBJECT.problem if needed else SUBJECT.warning
            yield kind(
                f"{label}: {port} is used by {_owner(machine, inodes)}",
                "stop it if it was left over, or set another port on every server",
            )
        if not found:
            yield SUBJECT.ok(f"{label}: {_shown(ports)} free")
        if has_npu and label.startswith(_HCCL):
            yield from _check_reserved(machine, ports)


def _needed_ports(machine: Machine) -> Iterator[tuple[str, list[int]]]:
    environment = machine.environment
    ranges = variables.ports(environment.get(_RANGE, ""))
    base = environment.get(_BASE, "")
    if ranges:
        yield f"{_HCCL} ({_RANGE})", [port for each in ranges for port in each]
    elif ranges is None:
        first = int(base[:9]) if base.isdecimal() else _DEFAULT_BASE
        label = f"{_HCCL} ({_BASE})" if base.isdecimal() else _HCCL
        yield label, list(range(first, first + _HOW_MANY))
    for name in _SINGLE:
        if environment.get(name, "").isdecimal():
            yield name, [int(environment[name][:9])]


def _sockets(machine: Machine) -> dict[int, set[str]] | None:
    """Map local ports to the inodes of their sockets; None where the tables are missing."""
    texts = [text for text in map(machine.text, _TABLES) if text is not None]
    if not texts:
        return None
    found: dict[int, set[str]] = {}
    for line in "\n".join(texts).splitlines():
        fields = line.split()
        if len(fields) > 9 and fields[0].endswith(":") and fields[3] != _RELEASED:
            port = int(fields[1].rpartition(":")[2], 16)
            found.setdefault(port, set()).add(fields[9])
    return found


def _owner(machine: Machine, inodes: set[str]) -> str:
    wanted = {f"socket:[{inode}]" for inode in inodes}
    for process in (process_table.processes(machine) or {}).values():
        if wanted.intersection(process_table.open_files(machine, process.pid) or ()):
            return str(process)
    return "a process of another user or container"


def _check_reserved(machine: Machine, ports: list[int]) -> Iterator[Observation]:
    """Report HCCL's ports that the system may assign to any program: they should be reserved."""
    limits = re.findall(r"\d+", machine.text(_ASSIGNED) or "")
    if len(limits) != 2 or not ports:
        return
    kept = variables.ports((machine.text(_RESERVED) or "").strip()) or []
    low, high = map(int, limits)
    open_ = [
        port for port in ports if low <= port <= high and not any(port in each for each in kept)
    ]
    if open_:
        yield SUBJECT.warning(
            f"the system may assign {_shown(open_)} to any program",
            f"sysctl -w net.ipv4.ip_local_reserved_ports={_format_ports(open_)}",
        )


def _format_ports(ports: list[int]) -> str:
    first, last = ports[0], ports[-1]
    whole = len(ports) == last - first + 1 and len(ports) > 1
    return f"{first}-{last}" if whole else ",".join(map(str, ports[:32]))


def _shown(ports: list[int]) -> str:
    return _format_ports(ports).replace("-", " to ")
