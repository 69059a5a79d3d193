"""From what a user types to the plan of a job."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ascendify.cluster import inventory as inventories
from ascendify.cluster import ranktable, topology, variables
from ascendify.cluster.inventory import Device, Inventory, Server
from ascendify.cluster.problem import errors
from ascendify.errors import UsageError
from ascendify.launch.plan import CONTRADICTING, Plan, Rank, Request, make
from ascendify.processes.launchers import find_launcher

EVERY = "all"
"""Said of a job whose servers are all this machine, which only stand-ins allow."""
HCCN = Path("/etc/hccn.conf")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


@dataclass(frozen=True)
class Job:
    """The options of ``ascendify launch`` that say what the job is."""

    command: tuple[str, ...]
    devices: str | None = None
    servers: int | None = None
    hosts: str | None = None
    inventory: Path | None = None
    rank_table: Path | None = None
    by_chief: bool = False
    server: str | None = None
    hardware: str | None = None
    name: str = ""
    port: int | None = None
    variables: tuple[str, ...] = ()
    once: bool | None = None
    project: Path = Path()
    folder: Path | None = None
    later: bool = False
    """Whether the engine finds out by itself which servers there are."""


def plan(job: Job, warn: Callable[[str], None]) -> Plan:
    """Plan the job that was asked for.

    Raises:
        UsageError: the options contradict each other, or name what is not there.
    """
    _one_of(job)
    table = _table(job, warn)
    servers = _from_table(table) if table is not None else _inventory(job)
    if job.hardware is not None:
        _check_hardware(job.hardware, servers)
    _warn_of_variables(job, warn)
    request = Request(
        command=job.command,
        inventory=servers,
        project=job.project,
        folder=job.folder or job.project / "logs" / (job.name or "latest"),
        table=table,
        by_chief=job.by_chief,
        name=job.name,
        port=job.port,
        variables=dict(_variable(item) for item in job.variables),
        once=_starts_once(job),
        later=job.later,
    )
    return make(request)


def ranks_here(job: Job, made: Plan) -> tuple[Rank, ...]:
    """The ranks of the server this is: the only one, or the one that was named.

    Raises:
        UsageError: there are several and none was named, or one that is not there.
    """
    servers = made.inventory.servers
    if job.server == EVERY or len(servers) == 1:
        return made.ranks
    if job.server is None:
        raise UsageError(
            f"the job has {len(servers)} servers, and this engine starts the ranks of one",
            "say which this is with --server, on each of them, or use another --engine",
        )
    for number, server in enumerate(servers):
        if job.server in (server.id, server.host, str(number)):
            return made.on(number)
    known = ", ".join(server.id for server in servers[:8])
    raise UsageError(f"--server {job.server} is not among the servers", f"they are {known}")


def _one_of(job: Job) -> None:
    given = {
        "--hosts": job.hosts,
        "--inventory": job.inventory,
        "--rank-table": job.rank_table,
        "--servers": job.servers,
    }
    named = [name for name, value in given.items() if value is not None]
    if job.later and named not in ([], ["--servers"]):
        raise UsageError(
            f"{named[0]} names servers, which this engine finds by itself",
            "say with --servers how many, and with --devices how many devices of each",
        )
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} both say which servers there are", "give one")
    if job.rank_table is not None and job.by_chief:
        raise UsageError("--rank-table and --no-rank-table exclude each other", "give one")
    if job.devices is not None and job.rank_table is not None:
        raise UsageError("--rank-table says which devices there are", "leave out --devices")
    if job.servers is not None and job.servers < 1:
        raise UsageError(f"--servers {job.servers} leaves nothing to run", "give 1 or more")


def _inventory(job: Job) -> Inventory:
    if job.hosts is not None:
        return inventories.from_hosts(job.hosts)
    if job.inventory is not None:
        return inventories.from_file(job.inventory)
    numbers = device_numbers(job.devices or "1")
    made = inventories.from_counts(job.servers or 1, max(numbers) + 1)
    known = _own_addresses() if job.servers in (None, 1) else {}
    return Inventory(
        tuple(
            Server(
                server.id,
                tuple(
                    Device(device.id, known.get(device.id, device.ip))
                    for device in server.devices
                    if device.id in numbers
                ),
                server.host,
            )
            for server in made.servers
        )
    )


def _own_addresses() -> dict[int, str]:
    """The addresses of this machine's devices, where it has any."""
    if not HCCN.is_file():
        return {}
    (server,) = inventories.from_hccn({"here": HCCN}).servers
    return {device.id: device.ip for device in server.devices}


def device_numbers(text: str) -> tuple[int, ...]:
    """Devices as ``8`` (so many), ``0-3`` or ``4,5,6,7`` (these).

    Raises:
        UsageError: it is none of that.
    """
    if text.strip().isdigit():
        count = int(text)
        if not 1 <= count <= _MOST_DEVICES:
            raise UsageError(
                f"--devices {text}: a server has from 1 to {_MOST_DEVICES}",
                "give their number, or which as 0-3 or 4,5",
            )
        return tuple(range(count))
    found: list[int] = []
    for part in text.split(","):
        match = _RANGE.fullmatch(part.strip())
        if match is None:
            raise UsageError(f"--devices {text} is neither a number nor a list", "0-3, or 4,5,6,7")
        first, last = int(match[1]), int(match[2] or match[1])
        if last >= _MOST_DEVICES or last < first:
            raise UsageError(f"--devices {text}: {part.strip()} is no range", "such as 0-3")
        found.extend(range(first, last + 1))
    if len(set(found)) < len(found):
        raise UsageError(f"--devices {text} names a device twice", "name each once")
    return tuple(sorted(found))


_MOST_DEVICES = 4096


def _table(job: Job, warn: Callable[[str], None]) -> ranktable.Table | None:
    if job.rank_table is None:
        return None
    reading = ranktable.read_file(job.rank_table)
    for warning in reading.warnings:
        warn(str(warning))
    problems = ranktable.check(reading.table, hardware=job.hardware)
    wrong = [problem for problem in problems if problem.severity == "error"]
    if wrong:
        raise UsageError(
            f"{job.rank_table}: {wrong[0]}",
            f"ascendify ranktable check {job.rank_table} tells all {len(wrong)} problems",
        )
    for problem in problems:
        warn(f"{job.rank_table}: {problem}")
    return reading.table


def _from_table(table: ranktable.Table) -> Inventory:
    devices: dict[str, list[Device]] = {}
    for placement in table.placements:
        devices.setdefault(placement.server, []).append(Device(placement.device, placement.ip))
    return Inventory(tuple(Server(name, tuple(found)) for name, found in devices.items()))


def _check_hardware(hardware: str, servers: Inventory) -> None:
    problems = [each for each in topology.allowed(hardware, servers) if each.severity == "error"]
    if problems:
        raise UsageError(
            f"{hardware} servers cannot run this job: {problems[0].rule}", problems[0].advice
        )


def _warn_of_variables(job: Job, warn: Callable[[str], None]) -> None:
    """Tell what is set here, and handed down to every rank, that the NPU's software refuses."""
    here = {name: value for name, value in os.environ.items() if name not in CONTRADICTING}
    asked_for = dict(_variable(item) for item in job.variables)
    for problem in errors(variables.check({**here, **asked_for}, job.hardware)):
        warn(f"{problem}; {problem.advice}")


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or _VARIABLE.fullmatch(name) is None:
        raise UsageError(f"--env {text} sets no variable", "write NAME=VALUE")
    return name, value


def _starts_once(job: Job) -> bool:
    if job.once is not None or not job.command:
        return bool(job.once)
    return find_launcher(job.command, job.project) is not None
