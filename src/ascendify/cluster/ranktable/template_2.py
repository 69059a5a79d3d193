"""Template 2: groups of instances (pods), without rank numbers. For jobs that still use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ascendify.cluster.problem import WARNING, Problem
from ascendify.cluster.ranktable.model import COMPLETED, WORLD, Seat, Table, count_problem
from ascendify.cluster.ranktable.schema import digits, items, text
from ascendify.cluster.ranktable.template_1_0 import named_once

VERSION = "2"


@dataclass(frozen=True)
class Device:
    """A device; its rank is its place in the file."""

    device_id: int = digits()
    device_ip: str = text(optional=True)


@dataclass(frozen=True)
class Instance:
    """An instance: a container, or all of a server."""

    pod_name: str = text()
    server_id: str = text()
    devices: tuple[Device, ...] = items(Device)


@dataclass(frozen=True)
class Group:
    """A group of instances."""

    instance_count: int = digits()
    device_count: int = digits()
    instance_list: tuple[Instance, ...] = items(Instance)
    group_name: str = text(optional=True)


@dataclass(frozen=True)
class Table2(Table):
    """A rank table of template 2."""

    template = VERSION
    rank_key = ""
    keeps = frozenset({"pod", "group"})

    status: str = text()
    group_count: int = digits()
    group_list: tuple[Group, ...] = items(Group)

    def seats(self) -> list[Seat]:
        """All ranks: their numbers are their places in the file."""
        places = (
            (f"$.group_list[{g}].instance_list[{i}]", f"devices[{d}]", group, instance, device)
            for g, group in enumerate(self.group_list)
            for i, instance in enumerate(group.instance_list)
            for d, device in enumerate(instance.devices)
        )
        return [
            Seat(
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
    def build(cls, seats: Sequence[Seat], status: str = COMPLETED) -> Table2:
        """A table that says the same; a server is a pod where the seats know of none."""
        groups: dict[str, dict[tuple[str, str], list[Device]]] = {}
        for seat in seats:
            pods = groups.setdefault(seat.group or WORLD, {})
            devices = pods.setdefault((seat.pod or seat.server, seat.server), [])
            devices.append(Device(seat.device, seat.ip))
        listed = []
        for name, pods in groups.items():
            instances = tuple(
                Instance(pod, server, tuple(devices)) for (pod, server), devices in pods.items()
            )
            total = sum(len(instance.devices) for instance in instances)
            listed.append(Group(len(instances), total, instances, name))
        return cls(status, len(listed), tuple(listed))

    def own_problems(self) -> Iterator[Problem]:
        """The counts, the names of the pods, and that there is one group."""
        yield from count_problem(
            "$.group_count", self.group_count, len(self.group_list), "groups in group_list"
        )
        if len(self.group_list) > 1:
            yield Problem(
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
        yield from named_once([(path, pod.pod_name) for path, pod in instances], "pod_name", 253)
        for path, instance in instances:
            if not 1 <= len(instance.server_id) <= 64:
                yield Problem(
                    f"{path}.server_id",
                    f"{len(instance.server_id)} characters",
                    "a server_id has 1 to 64 characters",
                    advice="give it the address of the server",
                )
            if not instance.devices:
                yield Problem(
                    f"{path}.devices",
                    "",
                    "an instance has a device at least",
                    advice="list its devices, or remove the instance",
                )
