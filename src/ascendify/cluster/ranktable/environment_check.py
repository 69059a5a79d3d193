"""Check that a rank table and the environment of a process describe the same job.

Variables and their meaning are those of the vendor's documents on distributed training.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from ascendify.cluster.problem import WARNING, ClusterProblem, format_value, join_values
from ascendify.cluster.ranktable.model import RankEntry, Table

CHIEF = ("CM_CHIEF_IP", "CM_CHIEF_PORT", "CM_CHIEF_DEVICE", "CM_WORKER_SIZE", "CM_WORKER_IP")
"""Variables that describe a job without a rank table."""
_IDENTITY = frozenset({"RANK_ID", "POD_NAME", "ASCEND_DEVICE_ID", "DEVICE_ID"})
"""Variables that tell a process which rank it is."""
_RETRY = {"HCCL_OP_EXPANSION_MODE": "AI_CPU", "HCCL_OP_RETRY_ENABLE": "L2:1"}
"""Settings without which HCCL ignores backup addresses."""


def disagreements(
    table: Table, entries: Sequence[RankEntry], environment: Mapping[str, str], source: str = ""
) -> Iterator[ClusterProblem]:
    """Yield each contradiction between table and environment; ``source`` is the table's file."""
    given = {name: value.strip() for name, value in environment.items() if value.strip()}
    named = given.get("RANK_TABLE_FILE", "")
    if named and source and not _same_file(named, source):
        yield ClusterProblem(
            "RANK_TABLE_FILE",
            format_value(named),
            "it names another table than this one, so the environment was not compared",
            WARNING,
            f"export RANK_TABLE_FILE={Path(source).absolute()}, if this is the job's",
        )
        return
    for name in CHIEF:
        if name in given:
            yield ClusterProblem(
                name,
                format_value(given[name]),
                "a job is described by a rank table or by CM_ variables, never by both",
                advice=f"unset {name}, or train without the table",
            )
    yield from _size(len(entries), given)
    if given.keys() & _IDENTITY:
        yield from _identity(table, given)
    yield from _backups(entries, given)


def _same_file(one: str, other: str) -> bool:
    try:
        return Path(one).resolve() == Path(other).resolve()
    except (OSError, ValueError, RuntimeError):
        return False


def _size(ranks: int, given: Mapping[str, str]) -> Iterator[ClusterProblem]:
    text = given.get("RANK_SIZE")
    if text is None:
        return
    size = _number(text)
    if size is None or not 1 <= size <= ranks:
        yield ClusterProblem(
            "RANK_SIZE",
            format_value(text),
            f"the table has {ranks} ranks",
            advice=f"export RANK_SIZE={ranks}, or list more devices",
        )
    elif size < ranks:
        yield ClusterProblem(
            "RANK_SIZE",
            format_value(text),
            f"the table has {ranks} ranks, and HCCL waits for all of them",
            WARNING,
            f"export RANK_SIZE={ranks}, or list fewer devices; a single device needs no table",
        )


def _identity(table: Table, given: Mapping[str, str]) -> Iterator[ClusterProblem]:
    """Check which rank the process is, and that it uses the device of that rank."""
    pods = {place.pod for place in table.placements} - {""}
    devices = None
    if pods:
        name = "POD_NAME" if "POD_NAME" in given else "RANK_ID"
        pod = given.get(name)
        if pod is not None and pod not in pods:
            yield ClusterProblem(
                name,
                format_value(pod),
                f"the process names its pod: {join_values(sorted(pods))}",
                advice="export POD_NAME with the pod_name of the table",
            )
        elif pod is not None:
            devices = [place.device for place in table.placements if place.pod == pod]
    elif "RANK_ID" in given:
        rank = _number(given["RANK_ID"])
        if rank is None or rank >= table.size:
            yield ClusterProblem(
                "RANK_ID",
                format_value(given["RANK_ID"]),
                f"ranks of the table are 0 to {table.size - 1}",
                advice="export the rank_id of this process",
            )
        else:
            devices = [place.device for place in table.placements if place.rank == rank]
    for name in ("ASCEND_DEVICE_ID", "DEVICE_ID"):
        if name in given:
            yield from _device(name, given, devices)


def _device(
    name: str, given: Mapping[str, str], devices: list[int] | None
) -> Iterator[ClusterProblem]:
    device = _number(given[name])
    if device is None:
        yield ClusterProblem(
            name, format_value(given[name]), "it is a number from 0 up", advice="export 0 to 7"
        )
        return
    physical = device
    if name == "ASCEND_DEVICE_ID":
        physical = _physical(device, given.get("ASCEND_RT_VISIBLE_DEVICES", ""))
    if devices and physical not in devices:
        which = (
            f"device {devices[0]}"
            if len(devices) == 1
            else f"one of devices {join_values(devices)}"
        )
        yield ClusterProblem(
            name,
            format_value(given[name]),
            f"this process has {which} in the table",
            advice="export that one; where a container numbers devices anew, --no-environment",
        )


def _physical(device: int, visible: str) -> int:
    """Return the physical number of a device that the process counts among its visible ones."""
    seen = [_number(word.strip()) for word in visible.split(",")]
    if not visible or None in seen or device >= len(seen):
        return device
    return seen[device] or 0


def _backups(entries: Sequence[RankEntry], given: Mapping[str, str]) -> Iterator[ClusterProblem]:
    backup = next((entry for entry in entries if entry.backup_device_ip), None)
    if backup is None:
        return
    for name, needed in _RETRY.items():
        if needed not in given.get(name, ""):
            yield ClusterProblem(
                name,
                format_value(given.get(name, "")),
                "backup addresses have no effect",
                WARNING,
                f"export {name}={needed}",
            )


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and text.isascii() and len(text) < 10 else None
