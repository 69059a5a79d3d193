"""Inventories: servers and their devices, from counts, host lists, files or hccn.conf.

Every ``from_`` function returns an :class:`Inventory`, whose servers and devices are in the order
of the ranks.
"""

from __future__ import annotations

import ipaddress
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ascendify.cluster.files import read_text
from ascendify.cluster.jsontext import JsonError, parse
from ascendify.cluster.problem import format_value
from ascendify.errors import UsageError, did_you_mean

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

DEVICES = 8
"""Default number of devices of a server."""
MOST_SERVERS = 65_536
MOST_DEVICES = 64
"""On one server: no hardware has more."""
_HCCN_LINE = re.compile(r"\s*(IPv6)?address_(\d{1,3})\s*=\s*(\S+)\s*", re.ASCII | re.IGNORECASE)
_HOSTS_HELP = "write node1:8,node2:8, or with chosen devices node1:0-3 or node1:0+2+4"
_FILE_HELP = "docs/ranktables.md shows what an inventory looks like"


@dataclass(frozen=True)
class Device:
    """An NPU of a server."""

    id: int
    """The physical number: 3 for /dev/davinci3."""
    ip: str = ""
    """The address of its network port."""


@dataclass(frozen=True)
class Server:
    """A machine, and which of its devices the job uses."""

    id: str
    """The server_id of rank tables."""
    devices: tuple[Device, ...]
    host: str = ""
    """Host name or address for ssh; empty when not given."""


@dataclass(frozen=True)
class Inventory:
    """Servers in the order of the ranks."""

    servers: tuple[Server, ...]

    @property
    def size(self) -> int:
        """Number of devices, which is the number of ranks."""
        return sum(len(server.devices) for server in self.servers)


def from_counts(servers: int, devices: int = DEVICES, *, addresses: bool = True) -> Inventory:
    """Create equal servers with made-up names and addresses."""
    _check_count("servers", servers, MOST_SERVERS)
    _check_count("devices", devices, MOST_DEVICES)
    ids = tuple(Device(number) for number in range(devices))
    made = Inventory(tuple(Server(f"node_{n}", ids) for n in range(servers)))
    return with_addresses(made) if addresses else made


def spread(devices: int, of_server: int) -> Inventory:
    """Return servers for this many devices, with made-up names; all but the last are full."""
    servers = (
        Server(f"node_{n}", tuple(map(Device, range(min(of_server, devices - first)))))
        for n, first in enumerate(range(0, devices, of_server))
    )
    return with_addresses(Inventory(tuple(servers)))


def with_addresses(inventory: Inventory) -> Inventory:
    """Return the inventory with a made-up address for every device that has none."""
    base = "192.168.0.1" if inventory.size < 2**16 - 2 else "10.0.0.1"
    taken = {device.ip for server in inventory.servers for device in server.devices}
    first = int(ipaddress.IPv4Address(base))
    free = (
        address
        for address in (str(ipaddress.IPv4Address(first + n)) for n in range(2**24))
        if address not in taken
    )
    return Inventory(
        tuple(
            replace(
                server, devices=tuple(d if d.ip else replace(d, ip=next(free)) for d in devices)
            )
            for server, devices in ((server, server.devices) for server in inventory.servers)
        )
    )


def from_hosts(text: str, devices: int = DEVICES) -> Inventory:
    """Parse hosts with devices: ``node1:8`` has eight, ``node1:4-7`` and ``node1:0+2`` just those.

    A host without a colon has ``devices`` devices; an IPv6 address is in brackets.
    """
    entries = [entry.strip() for entry in text.split(",")]
    if not all(entries):
        raise UsageError(f"an empty name in the hosts {format_value(text)}", _HOSTS_HELP)
    return _inventory(
        (_from_entry(entry, devices) for entry in entries), f"hosts {format_value(text)}"
    )


def from_file(path: Path) -> Inventory:
    """Read an inventory: TOML or JSON by its suffix, else a list of hosts with slots."""
    text = read_text(path).removeprefix("\ufeff")
    kind = path.suffix.lower()
    if kind == ".toml":
        return _from_data(_toml(text, path), path)
    if kind == ".json":
        return _from_data(_json(text, path), path)
    return _inventory(_from_hostfile(text, path), str(path))


def from_hccn(files: Mapping[str, Path]) -> Inventory:
    """Read servers from their copies of /etc/hccn.conf, which list devices and addresses."""
    return _inventory(
        (Server(name, _hccn_devices(path), name) for name, path in files.items()), "hccn files"
    )


def _check_count(what: str, count: int, most: int) -> None:
    if not 1 <= count <= most:
        raise UsageError(f"{count} {what}", f"there can be 1 to {most}")


def _inventory(servers: Iterable[Server], source: str) -> Inventory:
    """Check that server names are unique, and that no command can take one for an option."""
    found = tuple(servers)
    seen: set[str] = set()
    for server in found:
        for name in filter(None, (server.id, server.host)):
            if not name.isprintable() or any(map(str.isspace, name)) or name.startswith("-"):
                raise UsageError(
                    f"{source}: {format_value(name)} is not a valid server name",
                    "a name has no spaces, no control characters, and does not start with -",
                )
        if server.id in seen:
            raise UsageError(f"{source}: {server.id} is listed twice", "list every server once")
        seen.add(server.id)
    if not found:
        raise UsageError(f"{source}: no server", "name at least one")
    return Inventory(found)


def _from_entry(entry: str, devices: int) -> Server:
    match = re.fullmatch(r"(\[[^\]]+\]|[^:\[\]]+)(?::([^:]*))?", entry)
    if match is None:
        raise UsageError(f"{format_value(entry)} is not a host with devices", _HOSTS_HELP)
    name = match.group(1).strip("[]")
    chosen = match.group(2)
    ids = range(devices) if chosen is None else device_numbers(chosen, format_value(entry), "+")
    return Server(name, tuple(map(Device, ids)), name)


def device_numbers(text: str, where: str, separator: str) -> list[int]:
    """Read devices given as a number (``8``), as a range (``0-3``) or as a list (``0,2,4-7``).

    Raises: UsageError: the text has none of these forms; the message names ``where``.
    """
    if re.fullmatch(r"[0-9]{1,9}", text):
        _check_count(f"devices in {where}", int(text), MOST_DEVICES)
        return list(range(int(text)))
    ids: list[int] = []
    for part in text.split(separator):
        span = re.fullmatch(r" *([0-9]{1,3})(?:-([0-9]{1,3}))? *", part)
        if span is None or int(span[2] or span[1]) < int(span[1]):
            raise UsageError(
                f"{format_value(text)} in {where} does not name devices",
                f"write 8 for so many, 0-3 or 0{separator}2{separator}4 for these",
            )
        ids.extend(range(int(span[1]), int(span[2] or span[1]) + 1))
    return _check_ids(ids, where)


def _check_ids(ids: list[int], where: str) -> list[int]:
    if not ids:
        raise UsageError(f"{where}: no device", "name at least one")
    for number in ids:
        if not 0 <= number < MOST_DEVICES:
            raise UsageError(f"{where}: there is no device {number}", "they are 0 to 63")
    if len(set(ids)) < len(ids):
        raise UsageError(f"{where}: a device is listed twice", "name every device once")
    return ids


def _from_hostfile(text: str, path: Path) -> Iterator[Server]:
    """Parse a host file of OpenMPI or MPICH: ``node1 slots=8``, ``node1:8``, # for comments."""
    for number, line in enumerate(text.splitlines(), 1):
        host, *options = line.partition("#")[0].split() or [""]
        if not host:
            continue
        where = f"{path}:{number}"
        count = ""
        for option in options:
            key, _, value = option.partition("=")
            if key not in ("slots", "max_slots", "max-slots") or not value.isdecimal():
                raise UsageError(
                    f"{where}: {format_value(option)} is not known", "write: node1 slots=8"
                )
            if key == "slots":
                count = value
        try:
            yield _from_entry(f"{host}:{count}" if count else host, DEVICES)
        except UsageError as error:
            raise UsageError(f"{where}: {error.message}", "write: node1 slots=8") from None


def _toml(text: str, path: Path) -> Any:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: {error}", _FILE_HELP) from None
    except RecursionError:
        raise UsageError(f"{path}: nested too deep", _FILE_HELP) from None


def _json(text: str, path: Path) -> Any:
    try:
        return parse(text).value
    except JsonError as error:
        raise UsageError(f"{path}: {error.place}: {error.message}", _FILE_HELP) from None


def _from_data(data: Any, path: Path) -> Inventory:
    if isinstance(data, dict) and data.keys() & {"server_list", "group_list", "rank_list"}:
        raise UsageError(f"{path} is a rank table, not an inventory", "use it as it is")
    rows = data.get("server") if isinstance(data, dict) else None
    if not isinstance(rows, list):
        raise UsageError(f"{path}: there is no list of servers under server", _FILE_HELP)
    return _inventory(
        (_from_row(row, f"{path}: server[{number}]", path) for number, row in enumerate(rows)),
        str(path),
    )


_KEYS = ("id", "host", "devices", "hccn")


def _from_row(row: Any, where: str, path: Path) -> Server:
    if not isinstance(row, dict):
        raise UsageError(f"{where} is {format_value(row)}, not a server", _FILE_HELP)
    for key in row:
        if key not in _KEYS:
            advice = did_you_mean(key, _KEYS, f"a server has {', '.join(_KEYS)}")
            raise UsageError(f"{where} has {format_value(key)}, which is not known", advice)
    names = {key: _name(row, key, where) for key in ("id", "host", "hccn")}
    name = names["id"] or names["host"]
    if not name:
        raise UsageError(f"{where} has neither id nor host", _FILE_HELP)
    known = _hccn_devices(path.parent / names["hccn"]) if names["hccn"] else ()
    return Server(name, _row_devices(row, known, where), names["host"] or name)


def _name(row: Mapping[str, Any], key: str, where: str) -> str:
    value = row.get(key, "")
    if not isinstance(value, str) or "\0" in value:
        raise UsageError(f"{where}.{key} is {format_value(value)}, not a name", _FILE_HELP)
    return value


def _row_devices(
    row: Mapping[str, Any], known: tuple[Device, ...], where: str
) -> tuple[Device, ...]:
    """Return the devices of a row: a count, ids, or ids with addresses; by default all known."""
    listed = row.get("devices", [device.id for device in known] or DEVICES)
    where = f"{where}.devices"
    if isinstance(listed, int) and not isinstance(listed, bool):
        _check_count(f"devices at {where}", listed, MOST_DEVICES)
        listed = list(range(listed))
    if not isinstance(listed, list):
        raise UsageError(
            f"{where} is {format_value(listed)}", "write a count, or a list of devices"
        )
    addresses = {device.id: device.ip for device in known}
    devices = [_row_device(item, f"{where}[{number}]") for number, item in enumerate(listed)]
    _check_ids([device.id for device in devices], where)
    return tuple(
        device if device.ip else Device(device.id, addresses.get(device.id, ""))
        for device in devices
    )


def _row_device(item: Any, where: str) -> Device:
    ip = ""
    if isinstance(item, dict) and item.keys() <= {"id", "ip"}:
        item, ip = item.get("id"), item.get("ip", "")
    if not isinstance(item, int) or isinstance(item, bool) or not isinstance(ip, str):
        raise UsageError(f"{where} is not a device", 'write 0, or {id = 0, ip = "192.168.100.101"}')
    return Device(item, _address(ip, where) if ip else "")


def _address(text: str, where: str) -> str:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        raise UsageError(
            f"{where}: {format_value(text)} is not an IP address", "such as 192.168.100.101"
        ) from None
    return text


def _hccn_devices(path: Path) -> tuple[Device, ...]:
    """Read the devices of a hccn.conf from lines such as ``address_0=192.168.100.101``."""
    found: dict[tuple[int, bool], str] = {}
    for number, line in enumerate(read_text(path).splitlines(), 1):
        match = _HCCN_LINE.fullmatch(line.partition("#")[0])
        if match is None:
            continue
        key = int(match[2]), bool(match[1])
        where = f"{path}:{number}"
        if key in found:
            raise UsageError(f"{where}: address_{key[0]} is set twice", "keep one of the lines")
        found[key] = _address(match[3], where)
    if not found:
        raise UsageError(
            f"{path} has no line such as address_0=192.168.100.101",
            "hccn_tool -i 0 -ip -s address ADDRESS netmask MASK writes it to /etc/hccn.conf",
        )
    # Of a device with an IPv4 and an IPv6 address, the IPv4 address is used.
    addresses = {device: found[device, six] for device, six in sorted(found, reverse=True)}
    ids = _check_ids(sorted(addresses), str(path))
    return tuple(Device(device, addresses[device]) for device in ids)
