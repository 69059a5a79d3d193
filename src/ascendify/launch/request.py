"""The options of ``ascendify launch``, and how a job is planned from them."""

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
from ascendify.emulation.environment import Emulation
from ascendify.errors import UsageError
from ascendify.jobs.environment import without_unset
from ascendify.jobs.job import Job, JobRequest, Rank
from ascendify.jobs.plan import plan
from ascendify.processes.launchers import starts_ranks

EVERY = "all"
"""A value of ``--server``, used for emulation: all servers of the job are this machine."""
HCCN = Path("/etc/hccn.conf")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class LaunchRequest:
    """The options of ``ascendify launch`` that describe the job."""

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
    servers_unknown: bool = False
    """Whether the engine finds out by itself which servers there are."""
    emulation: Emulation | None = None


def plan_job(request: LaunchRequest, warn: Callable[[str], None]) -> Job:
    """Turn the options of a launch into a planned job.

    Raises:
        UsageError: the options contradict each other, or name what does not exist.
    """
    _check_options(request)
    table = _table(request, warn)
    servers = _from_table(table) if table is not None else _inventory(request)
    if request.hardware is not None:
        _check_hardware(request.hardware, servers)
    _warn_of_variables(request, warn)
    return plan(
        JobRequest(
            command=request.command,
            inventory=servers,
            project=request.project,
            folder=request.folder or request.project / "logs" / (request.name or "latest"),
            table=table,
            by_chief=request.by_chief,
            name=request.name,
            port=request.port,
            variables=dict(_variable(item) for item in request.variables),
            once=starts_ranks(request.command, request.project, request.once),
            servers_unknown=request.servers_unknown,
            emulation=request.emulation,
        )
    )


def ranks_here(request: LaunchRequest, job: Job) -> tuple[Rank, ...]:
    """Return the ranks of this server: the only server, or the one that ``--server`` names.

    Raises:
        UsageError: there are several and none was named, or one that is not there.
    """
    servers = job.inventory.servers
    if request.server == EVERY or len(servers) == 1:
        return job.ranks
    if request.server is None:
        raise UsageError(
            f"the job has {len(servers)} servers, and this engine starts the ranks of one",
            "say which this is with --server, on each of them, or use another --engine",
        )
    for number, server in enumerate(servers):
        if request.server in (server.id, server.host, str(number)):
            return job.on(number)
    known = ", ".join(server.id for server in servers[:8])
    raise UsageError(f"--server {request.server} is not among the servers", f"they are {known}")


def _check_options(request: LaunchRequest) -> None:
    given = {
        "--hosts": request.hosts,
        "--inventory": request.inventory,
        "--rank-table": request.rank_table,
        "--servers": request.servers,
    }
    named = [name for name, value in given.items() if value is not None]
    if request.servers_unknown and named not in ([], ["--servers"]):
        raise UsageError(
            f"{named[0]} names servers, which this engine finds by itself",
            "say with --servers how many, and with --devices how many devices of each",
        )
    if len(named) > 1:
        raise UsageError(f"{' and '.join(named)} both say which servers there are", "give one")
    if request.rank_table is not None and request.by_chief:
        raise UsageError("--rank-table and --no-rank-table exclude each other", "give one")
    if request.devices is not None and request.rank_table is not None:
        raise UsageError("--rank-table says which devices there are", "leave out --devices")
    if request.servers is not None and request.servers < 1:
        raise UsageError(f"--servers {request.servers} leaves nothing to run", "give 1 or more")


def _inventory(request: LaunchRequest) -> Inventory:
    if request.hosts is not None:
        return inventories.from_hosts(request.hosts)
    if request.inventory is not None:
        return inventories.from_file(request.inventory)
    numbers = inventories.device_numbers(request.devices or "1", "--devices", ",")
    made = inventories.from_counts(request.servers or 1, max(numbers) + 1)
    known = _own_addresses() if request.servers in (None, 1) else {}
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
    """Return the addresses of this machine's devices, if it has any."""
    if not HCCN.is_file():
        return {}
    (server,) = inventories.from_hccn({"here": HCCN}).servers
    return {device.id: device.ip for device in server.devices}


def _table(request: LaunchRequest, warn: Callable[[str], None]) -> ranktable.Table | None:
    if request.rank_table is None:
        return None
    reading = ranktable.read_file(request.rank_table)
    for warning in reading.warnings:
        warn(str(warning))
    problems = ranktable.check(reading.table, hardware=request.hardware)
    wrong = [problem for problem in problems if problem.severity == "error"]
    if wrong:
        raise UsageError(
            f"{request.rank_table}: {wrong[0]}",
            f"ascendify ranktable check {request.rank_table} shows all {len(wrong)} problems",
        )
    for problem in problems:
        warn(f"{request.rank_table}: {problem}")
    return reading.table


def _from_table(table: ranktable.Table) -> Inventory:
    devices: dict[str, list[Device]] = {}
    for placement in table.placements:
        devices.setdefault(placement.server, []).append(Device(placement.device, placement.ip))
    return Inventory(tuple(Server(name, tuple(found)) for name, found in devices.items()))


def _check_hardware(hardware: str, servers: Inventory) -> None:
    problems = [
        each for each in topology.inventory_problems(hardware, servers) if each.severity == "error"
    ]
    if problems:
        raise UsageError(
            f"{hardware} servers cannot run this job: {problems[0].rule}", problems[0].advice
        )


def _warn_of_variables(request: LaunchRequest, warn: Callable[[str], None]) -> None:
    """Warn about variables of this shell that ranks inherit and the NPU's software refuses."""
    requested = dict(_variable(item) for item in request.variables)
    for problem in errors(
        variables.check({**without_unset(os.environ), **requested}, request.hardware)
    ):
        warn(f"{problem}; {problem.advice}")


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or _VARIABLE.fullmatch(name) is None:
        raise UsageError(f"--env {text} sets no variable", "write NAME=VALUE")
    return name, value
