"""Version 1.2: the servers of version 1.0, and the super pods they are in. A3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.cluster.problem import WARNING, Problem, listed
from ascendify.cluster.ranktable.model import COMPLETED, Seat, Table, by_server, count_problem
from ascendify.cluster.ranktable.schema import digits, items, text
from ascendify.cluster.ranktable.template_1_0 import named_once

VERSION = "1.2"


@dataclass(frozen=True)
class Device:
    """A device and its rank."""

    device_id: int = digits()
    rank_id: int = digits()
    device_ip: str = text(optional=True)
    super_device_id: int | None = digits(optional=True)
    device_port: int | None = digits(optional=True)
    backup_device_ip: str = text(optional=True)
    backup_device_port: int | None = digits(optional=True)
    host_port: int | None = digits(optional=True)


@dataclass(frozen=True)
class Server:
    """A server and its devices."""

    server_id: str = text()
    device: tuple[Device, ...] = items(Device)
    host_ip: str = text(optional=True)


@dataclass(frozen=True)
class Member:
    """A server that is in a super pod."""

    server_id: str = text()


@dataclass(frozen=True)
class SuperPod:
    """A super pod and its servers."""

    super_pod_id: str = text()
    server_list: tuple[Member, ...] = items(Member)


@dataclass(frozen=True)
class Table12(Table):
    """A rank table of version 1.2."""

    template = VERSION
    hardware = "A3"
    keeps = frozenset(
        {
            *("host_ip", "device_port", "host_port", "super_device_id", "super_pod"),
            *("backup_device_ip", "backup_device_port"),
        }
    )

    status: str = text()
    version: str = text()
    server_list: tuple[Server, ...] = items(Server)
    server_count: int | None = digits(optional=True)
    super_pod_list: tuple[SuperPod, ...] = items(SuperPod, optional=True)

    def seats(self) -> list[Seat]:
        """All ranks, in the order of the file."""
        pods = {
            member.server_id: pod.super_pod_id
            for pod in self.super_pod_list
            for member in pod.server_list
        }
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
                device.super_device_id,
                device.backup_device_ip,
                device.backup_device_port,
                pods.get(server.server_id, ""),
            )
            for s, server in enumerate(self.server_list)
            for d, device in enumerate(server.device)
        ]

    @classmethod
    def build(cls, seats: Sequence[Seat], status: str = COMPLETED) -> Table12:
        """A table that says the same; it has super pods where the seats know of them."""
        groups = by_server(seats)
        servers = tuple(
            Server(
                name,
                tuple(
                    Device(
                        seat.device,
                        seat.rank,
                        seat.ip,
                        seat.super_device_id,
                        seat.device_port,
                        seat.backup_device_ip,
                        seat.backup_device_port,
                        seat.host_port,
                    )
                    for seat in members
                ),
                members[0].host_ip,
            )
            for name, members in groups.items()
        )
        pods: dict[str, list[Member]] = {}
        for name, members in groups.items():
            if members[0].super_pod:
                pods.setdefault(members[0].super_pod, []).append(Member(name))
        listed = tuple(SuperPod(name, tuple(members)) for name, members in pods.items())
        return cls(status, VERSION, servers, len(servers), listed)

    def own_problems(self) -> Iterator[Problem]:
        """The rules of version 1.0 and those of super pods."""
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
        yield from self._pods()
        yield from self._super_devices()

    def _pods(self) -> Iterator[Problem]:
        pods = [
            (f"$.super_pod_list[{n}]", p.super_pod_id) for n, p in enumerate(self.super_pod_list)
        ]
        yield from named_once(pods, "super_pod_id", 127)
        yield from self._sizes()
        known = {server.server_id for server in self.server_list}
        members = [
            (f"$.super_pod_list[{p}].server_list[{m}]", member.server_id)
            for p, pod in enumerate(self.super_pod_list)
            for m, member in enumerate(pod.server_list)
        ]
        yield from named_once(members, "server_id")
        for path, name in members:
            if name not in known:
                yield Problem(
                    f"{path}.server_id",
                    name,
                    "servers of a super pod are in server_list",
                    advice="correct the name, or add the server",
                )
        if self.super_pod_list:
            listed = {name for _, name in members}
            for number, server in enumerate(self.server_list):
                if server.server_id not in listed:
                    yield Problem(
                        f"$.server_list[{number}].server_id",
                        server.server_id,
                        "every server is in a super pod",
                        advice="add it to one in super_pod_list",
                    )

    def _sizes(self) -> Iterator[Problem]:
        sizes = [len(pod.server_list) for pod in self.super_pod_list]
        if len(set(sizes)) > 1:
            yield Problem(
                "$.super_pod_list",
                f"{listed(sizes)} servers",
                "equally many servers in every super pod are advised",
                WARNING,
                "take as many of each",
            )

    def _super_devices(self) -> Iterator[Problem]:
        seats = self.seats()
        given = [seat for seat in seats if seat.super_device_id is not None]
        if given and len(given) < len(seats):
            lacking = next(seat for seat in seats if seat.super_device_id is None)
            yield Problem(
                lacking.path,
                "",
                "all devices have a super_device_id, or none has",
                advice="npu-smi info -t spod-info -i ID -c CHIP shows it",
            )
        elif self.super_pod_list and not given:
            yield Problem(
                "$.super_pod_list",
                "",
                "without super_device_id HCCL treats the servers as single ones",
                WARNING,
                "npu-smi info -t spod-info -i ID -c CHIP shows it",
            )
        times = Counter((seat.super_pod, seat.super_device_id) for seat in given)
        for seat in given:
            if times[seat.super_pod, seat.super_device_id] > 1 and not seat.device_port:
                yield Problem(
                    f"{seat.path}.super_device_id",
                    str(seat.super_device_id),
                    "a super_device_id is there once in its super pod",
                    advice="npu-smi info -t spod-info -i ID -c CHIP shows it",
                )
