"""Template 2: groups of instances (pods), without rank numbers. For jobs that still use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.cluster.problem import WARNING, ClusterProblem
from ascendify.cluster.ranktable.model import COMPLETED, WORLD, RankEntry, Table, count_problem
from ascendify.cluster.ranktable.schema import digits, items, text
from ascendify.cluster.ranktable.template_1_0 import check_names

VERSION = "2"


@dataclass(frozen=True)
class Device2:
    """A device; its rank is its position in the file."""

    device_id: int = digits()
    device_ip: str = text(optional=True)


@dataclass(frozen=True)
class Instance2:
    """An instance: a container, or all of a server."""

    pod_name: str = text()
    server_id: str = text()
    devices: tuple[Device2, ...] = items(Device2)


@dataclass(frozen=True)
class Group2:
    """A group of instances."""

    instance_count: int = digits()
    device_count: int = digits()
    instance_list: tuple[Instance2, ...] = items(Instance2)
    group_name: str = text(optional=True)


@dataclass(frozen=True)
class Table2(Table):
    """A rank table of template 2."""

    template = VERSION
    rank_key = ""
    keeps = frozenset({"pod", "group"})

    status: str = text()
    group_count: int = digits()
    group_list: tuple[Group2, ...] = items(Group2)

    def entries(self) -> list[RankEntry]:
        """Return all ranks, numbered by their position in the file."""
        places = (
            (f"$.group_list[{g}].instance_list[{i}]", f"devices[{d}]", group, instance, device)
            for g, group in enumerate(self.group_list)
            for i, instance in enumerate(group.instance_list)
            for d, device in enumerate(instance.devices)
        )
        return [
            RankEntry(
                rank,
                instance.server_id,
                device.device_id,
                device.device_ip,
                instance.pod_name,
                f"{path}.{step}",
                path,
                group=group.group_name,
            )
            for rank, (path, step, group, instance, device) in enumerate(places)
        ]

    @classmethod
    def build(cls, entries: Sequence[RankEntry], status: str = COMPLETED) -> Table2:
        """Build a table from entries; where an entry has no pod, its server is the pod."""
        groups: dict[str, dict[tuple[str, str], list[Device2]]] = {}
        for entry in entries:
            pods = groups.setdefault(entry.group or WORLD, {})
            devices = pods.setdefault((entry.pod or entry.server, entry.server), [])
            devices.append(Device2(entry.device, entry.ip))
        listed = []
        for name, pods in groups.items():
            instances = tuple(
                Instance2(pod, server, tuple(devices)) for (pod, server), devices in pods.items()
            )
            total = sum(len(instance.devices) for instance in instances)
            listed.append(Group2(len(instances), total, instances, name))
        return cls(status, len(listed), tuple(listed))

    def own_problems(self) -> Iterator[ClusterProblem]:
        """Check the counts, the names of the pods, and that there is one group."""
        yield from count_problem(
            "$.group_count", self.group_count, len(self.group_list), "groups in group_list"
        )
        if len(self.group_list) > 1:
            yield ClusterProblem(
                "$.group_list",
                f"{len(self.group_list)} groups",
                f"one group is advised: HCCL makes one of them, {WORLD}",
                WARNING,
                "list all instances in one group",
            )
        instances = []
        for g, group in enumerate(self.group_list):
            path = f"$.group_list[{g}]"
            yield from count_problem(
                f"{path}.instance_count",
                group.instance_count,
                len(group.instance_list),
                "instances in instance_list",
            )
            yield from count_problem(
                f"{path}.device_count",
                group.device_count,
                sum(len(instance.devices) for instance in group.instance_list),
                "devices of all instances",
            )
            instances += [
                (f"{path}.instance_list[{i}]", instance)
                for i, instance in enumerate(group.instance_list)
            ]
        yield from check_names([(path, pod.pod_name) for path, pod in instances], "pod_name", 253)
        for path, instance in instances:
            if not 1 <= len(instance.server_id) <= 64:
                yield ClusterProblem(
                    f"{path}.server_id",
                    f"{len(instance.server_id)} characters",
                    "a server_id has 1 to 64 characters",
                    advice="give it the address of the server",
                )
            if not instance.devices:
                yield ClusterProblem(
                    f"{path}.devices",
                    "",
                    "an instance has at least one device",
                    advice="list its devices, or remove the instance",
                )
