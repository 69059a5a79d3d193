"""Check which devices can train together on which hardware.

The catalogue says what each family of servers has: an Atlas training server (910A) has two networks
of four devices, 0 to 3 and 4 to 7, and a job takes 1, 2, 4 or 8 of a server's devices. A2 servers
(910B) take any number, the Box16 models have 16. An A3 NPU is two devices, a server has 16; 950
numbers its devices up to 64.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ascendify.catalog.hardware import Hardware, families
from ascendify.cluster.inventory import Inventory
from ascendify.cluster.problem import ERROR, WARNING, ClusterProblem, format_value, join_values
from ascendify.errors import UsageError, did_you_mean

HARDWARE = families()
"""Families of servers by name, the oldest first."""


@dataclass(frozen=True)
class UsedDevices:
    """The devices of one server that a job uses, and the path where they are listed."""

    path: str
    server: str
    devices: Sequence[int]


def find(name: str) -> Hardware:
    """Return the hardware of a name, in any of its spellings."""
    wanted = name.upper()
    for hardware in HARDWARE.values():
        if wanted in (hardware.name, *hardware.aliases):
            return hardware
    known = ", ".join(HARDWARE)
    raise UsageError(
        f"unknown hardware {format_value(name)}", did_you_mean(name, HARDWARE, f"there is {known}")
    )


def inventory_problems(hardware: str | None, inventory: Inventory) -> list[ClusterProblem]:
    """Return the problems that keep the devices of an inventory from training together."""
    used = [
        UsedDevices(f"server {server.id}", server.id, [device.id for device in server.devices])
        for server in inventory.servers
    ]
    return problems(hardware, used)


def problems(name: str | None, used: Sequence[UsedDevices]) -> list[ClusterProblem]:
    """Return the rules of the hardware that the used devices break.

    Without a hardware name, the oldest hardware that has such devices is assumed, and rules that
    only the oldest has are warnings.
    """
    if name is not None:
        return list(_check(find(name), used))
    oldest = next(
        (kind for kind in HARDWARE.values() if _highest(used) < kind.devices), HARDWARE["950"]
    )
    return [_as_warning(problem, oldest) for problem in _check(oldest, used)]


def _highest(used: Sequence[UsedDevices]) -> int:
    return max((device for each in used for device in each.devices), default=0)


def _as_warning(problem: ClusterProblem, oldest: Hardware) -> ClusterProblem:
    if not oldest.counts:
        return problem
    return replace(
        problem,
        severity=WARNING,
        advice=f"{problem.advice}; other hardware allows it: name yours with --hardware",
    )


def _check(hardware: Hardware, used: Sequence[UsedDevices]) -> Iterator[ClusterProblem]:
    for each in used:
        yield from _check_server(hardware, each)
    yield from _compare_servers(hardware, used)


def _check_server(hardware: Hardware, each: UsedDevices) -> Iterator[ClusterProblem]:
    devices = set(each.devices)
    strange = sorted(device for device in devices if not 0 <= device < hardware.most)
    if strange:
        yield ClusterProblem(
            each.path,
            join_values(strange),
            f"devices of {hardware.name} servers are 0 to {hardware.most - 1}",
            advice="ls /dev/davinci* lists those of a server",
        )
        return
    if max(devices, default=0) >= hardware.devices:
        yield ClusterProblem(
            each.path,
            join_values(sorted(devices)),
            f"few {hardware.name} servers have devices past {hardware.devices - 1}",
            WARNING,
            "ls /dev/davinci* lists those of a server",
        )
    if hardware.counts and len(devices) not in hardware.counts:
        counts = ", ".join(map(str, hardware.counts[:-1]))
        yield ClusterProblem(
            each.path,
            f"{len(devices)} devices",
            f"{hardware.name} servers take part with {counts} or {hardware.counts[-1]} devices",
            advice="leave some out",
        )
    elif hardware.networks and _crosses(devices, hardware):
        yield ClusterProblem(
            each.path,
            join_values(sorted(devices)),
            "devices 0-3 and 4-7 are separate networks: 2 or 4 devices are of one of them",
            advice="take devices 0 to 3, or 4 to 7",
        )


def _crosses(devices: set[int], hardware: Hardware) -> bool:
    """Whether the devices are only a part of a server, and of more than one network."""
    within = any(devices <= network for network in hardware.networks)
    return len(devices) < hardware.devices and not within


def _compare_servers(hardware: Hardware, used: Sequence[UsedDevices]) -> Iterator[ClusterProblem]:
    counts = [len(set(each.devices)) for each in used]
    for each, count in zip(used, counts):
        if count != counts[0]:
            yield ClusterProblem(
                each.path,
                f"{count} devices",
                f"servers take part with equally many devices: the first has {counts[0]}",
                ERROR if hardware.counts else WARNING,
                "list as many devices of every server",
            )
            return
    if 0 < hardware.servers < len(used):
        yield ClusterProblem(
            "$",
            f"{len(used)} servers",
            f"early releases for {hardware.name} know at most {hardware.servers} servers",
            WARNING,
            "make sure that yours takes more",
        )
