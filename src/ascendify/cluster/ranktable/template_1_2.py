"""Version 1.2: the servers of version 1.0, and the super pods they are in. A3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.cluster.problem import WARNING, ClusterProblem, join_values
from ascendify.cluster.ranktable.model import COMPLETED, RankEntry, Table, by_server, count_problem
from ascendify.cluster.ranktable.schema import digits, items, text
from ascendify.cluster.ranktable.template_1_0 import check_names

VERSION = "1.2"


@dataclass(frozen=True)
class Device12:
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
class Server12:
    """A server and its devices."""

    server_id: str = text()
    device: tuple[Device12, ...] = items(Device12)
    host_ip: str = text(optional=True)


@dataclass(frozen=True)
class SuperPodServer:
    """A server that is in a super pod."""

    server_id: str = text()


@dataclass(frozen=True)
class SuperPod12:
    """A super pod and its servers."""

    super_pod_id: str = text()
    server_list: tuple[SuperPodServer, ...] = items(SuperPodServer)


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
    server_list: tuple[Server12, ...] = items(Server12)
    server_count: int | None = digits(optional=True)
    super_pod_list: tuple[SuperPod12, ...] = items(SuperPod12, optional=True)

    def entries(self) -> list[RankEntry]:
        """All ranks, in the order of the file."""
        pods = {
            member.server_id: pod.super_pod_id
            for pod in self.super_pod_list
            for member in pod.server_list
        }
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
                device.super_device_id,
                device.backup_device_ip,
                device.backup_device_port,
                pods.get(server.server_id, ""),
            )
            for s, server in enumerate(self.server_list)
            for d, device in enumerate(server.device)
        ]

    @classmethod
    def build(cls, entries: Sequence[RankEntry], status: str = COMPLETED) -> Table12:
        """Build a table from entries; it has super pods if the entries name them."""
        groups = by_server(entries)
        servers = tuple(
            Server12(
                name,
                tuple(
                    Device12(
                        entry.device,
                        entry.rank,
                        entry.ip,
                        entry.super_device_id,
                        entry.device_port,
                        entry.backup_device_ip,
                        entry.backup_device_port,
                        entry.host_port,
                    )
                    for entry in members
                ),
                members[0].host_ip,
            )
            for name, members in groups.items()
        )
        pods: dict[str, list[SuperPodServer]] = {}
        for name, members in groups.items():
            if members[0].super_pod:
                pods.setdefault(members[0].super_pod, []).append(SuperPodServer(name))
        listed = tuple(SuperPod12(name, tuple(members)) for name, members in pods.items())
        return cls(status, VERSION, servers, len(servers), listed)

    def own_problems(self) -> Iterator[ClusterProblem]:
        """Check the rules of version 1.0 and those of super pods."""
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
        yield from self._pods()
        yield from self._super_devices()

    def _pods(self) -> Iterator[ClusterProblem]:
        pods = [
            (f"$.super_pod_list[{n}]", p.super_pod_id) for n, p in enumerate(self.super_pod_list)
        ]
        yield from check_names(pods, "super_pod_id", 127)
        yield from self._sizes()
        known = {server.server_id for server in self.server_list}
        members = [
            (f"$.super_pod_list[{p}].server_list[{m}]", member.server_id)
            for p, pod in enumerate(self.super_pod_list)
            for m, member in enumerate(pod.server_list)
        ]
        yield from check_names(members, "server_id")
        for path, name in members:
            if name not in known:
                yield ClusterProblem(
                    f"{path}.server_id",
                    name,
                    "servers of a super pod are in server_list",
                    advice="correct the name, or add the server",
                )
        if self.super_pod_list:
            listed = {name for _, name in members}
            for number, server in enumerate(self.server_list):
                if server.server_id not in listed:
                    yield ClusterProblem(
                        f"$.server_list[{number}].server_id",
                        server.server_id,
                        "every server is in a super pod",
                        advice="add it to one in super_pod_list",
                    )

    def _sizes(self) -> Iterator[ClusterProblem]:
        sizes = [len(pod.server_list) for pod in self.super_pod_list]
        if len(set(sizes)) > 1:
            yield ClusterProblem(
                "$.super_pod_list",
                f"{join_values(sizes)} servers",
                "equally many servers in every super pod are advised",
                WARNING,
                "take as many of each",
            )

    def _super_devices(self) -> Iterator[ClusterProblem]:
        entries = self.entries()
        given = [entry for entry in entries if entry.super_device_id is not None]
        if given and len(given) < len(entries):
            lacking = next(entry for entry in entries if entry.super_device_id is None)
            yield ClusterProblem(
                lacking.path,
                "",
                "all devices have a super_device_id, or none has",
                advice="npu-smi info -t spod-info -i ID -c CHIP shows it",
            )
        elif self.super_pod_list and not given:
            yield ClusterProblem(
                "$.super_pod_list",
                "",
                "without super_device_id HCCL treats the servers as single ones",
                WARNING,
                "npu-smi info -t spod-info -i ID -c CHIP shows it",
            )
        times = Counter((entry.super_pod, entry.super_device_id) for entry in given)
        for entry in given:
            if times[entry.super_pod, entry.super_device_id] > 1 and not entry.device_port:
                yield ClusterProblem(
                    f"{entry.path}.super_device_id",
                    str(entry.super_device_id),
                    "a super_device_id appears once in its super pod",
                    advice="npu-smi info -t spod-info -i ID -c CHIP shows it",
                )
