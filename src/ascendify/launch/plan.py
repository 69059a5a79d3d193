"""The plan of a job: which rank runs where, and what it finds in its environment.

A plan comes from an inventory of servers and devices, or from a rank table. It says everything an
engine needs to start the ranks, on this machine or on others, and can be written to a file.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import socket
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascendify.cluster import ranktable
from ascendify.cluster.inventory import Inventory
from ascendify.errors import UsageError

PLAN_FILE = "plan.json"
TABLE_FILE = "rank_table.json"
PLAN_VERSION = 1
CONNECT_SECONDS = "600"
"""How long ranks wait for each other to start: the usual two minutes are less than some take to
compile their graphs."""
DEFAULT_PORT = 29500
"""Where rank 0 of a PyTorch job on several servers listens, as torchrun does."""
CHIEF_PORT = 50000
CONTRADICTING = frozenset(
    {
        # a job is described by a rank table or by its chief, never by both
        "RANK_TABLE_FILE", "RANK_ID", "RANK_SIZE", "POD_NAME",
        "CM_CHIEF_IP", "CM_CHIEF_PORT", "CM_CHIEF_DEVICE", "CM_WORKER_SIZE", "CM_WORKER_IP",
        "ASCEND_DEVICE_ID", "DEVICE_ID", "ASCEND_RT_VISIBLE_DEVICES",
        # how torchrun describes a job to a rank
        "RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK",
        "MASTER_ADDR", "MASTER_PORT",
        # what a run that started this one is looked at with
        "ASCENDIFY_MEASURE", "ASCENDIFY_SEARCH",
    }
)  # fmt: skip
"""Variables of an earlier job, which would tell a rank that it is another."""
SEARCH = "ASCENDIFY_SEARCH"
"""Set for a rank: a folder its Python searches before those of PYTHONPATH. A variable of its own,
because what PYTHONPATH holds on the rank's server is known only there."""
_NAME = re.compile(r"[A-Za-z0-9_-]+")
_DIGITS_FROM_ZERO = re.compile(r"0\d+")


@dataclass(frozen=True)
class Request:
    """What the user asked for."""

    command: tuple[str, ...]
    inventory: Inventory
    project: Path = Path()
    """The folder of the user's files; the command runs in it."""
    folder: Path = Path("logs")
    """For the logs and the rank table; on every server the same path."""
    table: ranktable.Table | None = None
    """A rank table to use as it is, instead of one made from the inventory."""
    by_chief: bool = False
    """Whether ranks find each other through a chief instead of a rank table."""
    name: str = ""
    """JOB_ID; empty to make one."""
    port: int | None = None
    """Where rank 0 listens; None to choose."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """What the user wants every rank to find in its environment."""
    once: bool = False
    """Whether the command starts the ranks of a server by itself."""
    later: bool = False
    """Whether names and addresses of servers are made up, to be replaced when they are known."""


@dataclass(frozen=True)
class Rank:
    """One process of the job."""

    number: int
    server: int
    """Position of its server in the inventory."""
    local: int
    """Position among the ranks of its server."""
    device: int
    """The device's physical number."""
    environment: Mapping[str, str]
    """What is set for it, beside what its server has."""


@dataclass(frozen=True)
class Plan:
    """A whole job."""

    name: str
    command: tuple[str, ...]
    project: str
    folder: str
    inventory: Inventory
    ranks: tuple[Rank, ...]
    table: str = ""
    """The rank table's text; empty where the job needs none."""
    aids: Mapping[str, str] = field(default_factory=dict)
    """Other files that ranks find in the folder, by their paths in it."""
    once: bool = False
    """Whether the command starts the ranks of a server by itself."""

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return len(self.ranks)

    def on(self, server: int) -> tuple[Rank, ...]:
        """The ranks of a server."""
        return tuple(rank for rank in self.ranks if rank.server == server)

    def log(self, rank: int) -> Path:
        """What a rank prints."""
        return Path(self.folder) / f"rank-{rank}.log"

    def files(self) -> dict[str, str]:
        """What must stand in the folder of every server before its ranks start."""
        return {**self._read_by_ranks(), PLAN_FILE: self.dump()}

    def _read_by_ranks(self) -> dict[str, str]:
        return {**({TABLE_FILE: self.table} if self.table else {}), **self.aids}

    def dump(self) -> str:
        """The plan as JSON: for the agents of other servers, and for whoever reads the logs."""
        document = {
            "version": PLAN_VERSION,
            "job": self.name,
            "command": list(self.command),
            "project": self.project,
            "folder": self.folder,
            "servers": [
                {"id": server.id, "host": server.host, "devices": len(server.devices)}
                for server in self.inventory.servers
            ],
            "unset": sorted(CONTRADICTING),
            "files": self._read_by_ranks(),
            "ranks": [
                {
                    "rank": rank.number,
                    "server": rank.server,
                    "device": rank.device,
                    "environment": dict(rank.environment),
                }
                for rank in self.ranks
            ],
        }
        return json.dumps(document, indent=1) + "\n"


def make(request: Request) -> Plan:
    """Plan a job.

    Raises:
        UsageError: the request cannot be a job; says what to do.
    """
    if not request.command:
        raise UsageError("no command to launch", "ascendify launch -- python train.py")
    name = request.name or f"ascendify-{secrets.token_hex(4)}"
    check_name(name)
    places = list(_places(request))
    size = sum(len(server.devices) for server in request.inventory.servers)
    table = "" if request.by_chief or request.once or size == 1 else _table_text(request)
    folder = str(request.folder.resolve())
    common = {**_common(request, size, folder if table else ""), "JOB_ID": name}
    ranks = tuple(
        Rank(
            place.number,
            place.server,
            place.local,
            place.device,
            {**common, **_place_words(request, place, size), **request.variables},
        )
        for place in places
    )
    return Plan(
        name,
        request.command,
        str(request.project.resolve()),
        folder,
        request.inventory,
        ranks,
        table,
        once=request.once,
    )


def check_name(name: str) -> None:
    """Refuse a job name that the NPU's software would.

    Raises:
        UsageError: with an example of a good one.
    """
    if _NAME.fullmatch(name) is None:
        raise UsageError(
            f"--name {name} cannot be a JOB_ID", "use letters, digits, - and _, such as crnn-8p"
        )
    if _DIGITS_FROM_ZERO.fullmatch(name):
        raise UsageError(
            f"--name {name}: a JOB_ID of digits may not start with 0", "put a letter in front"
        )


@dataclass(frozen=True)
class _Place:
    number: int
    server: int
    local: int
    device: int


def _places(request: Request) -> Iterator[_Place]:
    """Where each rank runs, in the order of the ranks."""
    if request.once:
        for position, server in enumerate(request.inventory.servers):
            yield _Place(position, position, 0, server.devices[0].id)
        return
    if request.table is not None:
        positions = {each.id: number for number, each in enumerate(request.inventory.servers)}
        seen = [0] * len(positions)
        for placement in request.table.placements:
            where = positions[placement.server]
            yield _Place(placement.rank, where, seen[where], placement.device)
            seen[where] += 1
        return
    number = 0
    for position, server in enumerate(request.inventory.servers):
        for local, device in enumerate(server.devices):
            yield _Place(number, position, local, device.id)
            number += 1


def _table_text(request: Request) -> str:
    table = request.table
    if table is None:
        table = ranktable.create(request.inventory, "1.0")
    elif table.template == "2":
        # a rank of this template finds itself by the name of its pod, where scripts expect a number
        table = ranktable.convert(table, "1.0").table
    return ranktable.dump(table)


def _common(request: Request, size: int, folder: str) -> dict[str, str]:
    """What all ranks are told."""
    if size == 1 or request.once:
        return {}
    first = request.inventory.servers[0]
    alone = len(request.inventory.servers) == 1
    address = "127.0.0.1" if alone else first.host or first.id
    words = {
        "HCCL_CONNECT_TIMEOUT": os.environ.get("HCCL_CONNECT_TIMEOUT", CONNECT_SECONDS),
        "MASTER_ADDR": address,
        "MASTER_PORT": str(_port(request, alone)),
    }
    if folder:
        words["RANK_TABLE_FILE"] = f"{folder}/{TABLE_FILE}"
    if request.by_chief:
        words.update(
            {
                "CM_CHIEF_IP": _chief_address(request, alone),
                "CM_CHIEF_PORT": str(CHIEF_PORT),
                "CM_CHIEF_DEVICE": "0",
                "CM_WORKER_SIZE": str(size),
            }
        )
    return words


def _chief_address(request: Request, alone: bool) -> str:
    """The chief is found by its address: names of hosts are not accepted there."""
    first = request.inventory.servers[0]
    host = first.host or first.id
    if request.later and not alone:
        return host
    try:
        return socket.gethostbyname(host)
    except OSError as error:
        if alone:
            return "127.0.0.1"
        raise UsageError(
            f"the address of {host}, the first server, is not known here ({error.strerror})",
            "name servers by their addresses, or use a rank table",
        ) from error


def _port(request: Request, alone: bool) -> int:
    if request.port is not None:
        if alone:
            _check_free(request.port)
        return request.port
    return free_port() if alone else DEFAULT_PORT


def free_port() -> int:
    """A port nobody has."""
    with contextlib.closing(socket.socket()) as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def _check_free(port: int) -> None:
    if not 0 < port < 65536:
        raise UsageError(f"--port {port} is no port", "give a number from 1024 to 65535")
    with contextlib.closing(socket.socket()) as held:
        try:
            held.bind(("0.0.0.0", port))  # noqa: S104 (only to see whether it is free)
        except OSError as error:
            raise UsageError(
                f"port {port} cannot be used: {error.strerror}",
                "leave out --port to have a free one chosen, or end what uses it "
                f"(ss -ltnp 'sport = :{port}' names it)",
            ) from error


def _place_words(request: Request, place: _Place, size: int) -> dict[str, str]:
    """Which rank a process is: in the words of the NPU's software, and in those of torchrun.

    A lone rank is not told the latter: scripts take the mere presence of RANK for a job of several
    ranks. A command that starts ranks by itself is told neither, only which devices are its own.
    """
    devices = [device.id for device in request.inventory.servers[place.server].devices]
    renumbered = devices != list(range(len(devices)))
    words = {}
    if renumbered or request.once:
        # scripts take their place on the server for the number of their device
        words["ASCEND_RT_VISIBLE_DEVICES"] = ",".join(map(str, devices))
    if request.once:
        return words
    words["ASCEND_DEVICE_ID"] = str(place.local if renumbered else place.device)
    words["DEVICE_ID"] = str(place.device)
    if not request.by_chief or size == 1:
        words.update({"RANK_ID": str(place.number), "RANK_SIZE": str(size)})
    if size == 1:
        return words
    return {
        **words,
        "RANK": str(place.number),
        "WORLD_SIZE": str(size),
        "LOCAL_RANK": str(place.local),
        "LOCAL_WORLD_SIZE": str(len(devices)),
        "GROUP_RANK": str(place.server),
    }


def settled(plan: Plan, text: str) -> Plan:
    """A plan whose servers have the names of its dump, which was written when they were known."""
    told = json.loads(text)["servers"]
    servers = (
        replace(server, id=known["id"], host=known["host"])
        for server, known in zip(plan.inventory.servers, told)
    )
    return replace(plan, inventory=Inventory(tuple(servers)))


def environment(rank: Rank, base: Mapping[str, str]) -> dict[str, str]:
    """Everything a rank finds in its environment on a server that has a base of its own."""
    kept = {key: value for key, value in base.items() if key not in CONTRADICTING}
    found = {**kept, **rank.environment}
    if SEARCH in found:
        folders = (found[SEARCH], found.get("PYTHONPATH"))
        found["PYTHONPATH"] = os.pathsep.join(filter(None, folders))
    found.setdefault("PYTHONUNBUFFERED", "1")
    return found
