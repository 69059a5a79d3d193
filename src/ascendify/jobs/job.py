"""A job: its command, its servers, and its ranks with their environment variables."""

from __future__ import annotations

import enum
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ascendify.cluster import ranktable
from ascendify.cluster.inventory import Inventory
from ascendify.emulation import records
from ascendify.emulation.environment import Emulation
from ascendify.jobs.blame import consequences
from ascendify.jobs.unset import UNSET

PLAN_FILE = "plan.json"
TABLE_FILE = "rank_table.json"
PLAN_VERSION = 1


class Identity(enum.Enum):
    """The variables by which a process learns which rank it is."""

    ASCEND = "those of the NPU's software, and those of torchrun where there are several ranks"
    TORCHRUN = "those of torchrun alone"
    HOROVOD = "those of Horovod's launcher, and those that the stand-in for Horovod reads"
    NONE = "none: the process is no rank, or starts the ranks itself"


@dataclass(frozen=True)
class JobRequest:
    """The request from which a job is planned."""

    command: tuple[str, ...]
    inventory: Inventory
    project: Path = Path()
    """The folder of the user's files; the command runs in it."""
    folder: Path = Path("logs")
    """The folder for logs and the rank table; its path is the same on every server."""
    table: ranktable.Table | None = None
    """A rank table to use unchanged, instead of one made from the inventory."""
    by_chief: bool = False
    """Whether ranks find each other through a chief instead of a rank table."""
    name: str = ""
    """JOB_ID; empty to make one."""
    port: int | None = None
    """Where rank 0 listens; None to choose."""
    variables: Mapping[str, str] = field(default_factory=dict)
    """Environment variables for every rank; they override ours."""
    once: bool = False
    """Whether the command starts the ranks of a server itself."""
    servers_unknown: bool = False
    """Whether names and addresses of servers are placeholders until a scheduler has chosen some."""
    identity: Identity = Identity.ASCEND
    capture: bool = False
    """Whether ranks record the numbers that they train with, to compare."""
    emulation: Emulation | None = None
    """How the NPU is emulated on this machine; None for real devices."""

    @property
    def on_npus(self) -> bool:
        """Whether the ranks run on real devices, and not on the CPU or GPU of this machine."""
        return self.emulation is None and self.identity is Identity.ASCEND

    @property
    def is_local(self) -> bool:
        """Whether all ranks run on this machine; emulated servers all do."""
        return self.emulation is not None or len(self.inventory.servers) == 1


@dataclass(frozen=True)
class Rank:
    """One process of a job."""

    number: int
    server: int
    """Position of its server in the inventory."""
    local: int
    """Position among the ranks of its server."""
    device: int
    """The device's physical number."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables that are set for the rank, in addition to those of its server."""


@dataclass(frozen=True)
class Job:
    """One training with all its ranks; everything an engine needs to start them."""

    name: str
    command: tuple[str, ...]
    project: Path
    folder: Path
    inventory: Inventory
    ranks: tuple[Rank, ...]
    table: str = ""
    """The rank table's text; empty where the job needs none."""
    extra_files: Mapping[str, str] = field(default_factory=dict)
    """Other files that ranks read, by their paths in the folder."""
    once: bool = False
    """Whether the command starts the ranks of a server itself."""
    on_npus: bool = True
    """Whether the ranks run on real devices, and not on the CPU or GPU of this machine."""

    @property
    def size(self) -> int:
        """How many ranks there are."""
        return len(self.ranks)

    def on(self, server: int) -> tuple[Rank, ...]:
        """The ranks of a server."""
        return tuple(rank for rank in self.ranks if rank.server == server)

    def host(self, rank: Rank) -> str:
        """The server of a rank, by the name that reaches it."""
        server = self.inventory.servers[rank.server]
        return server.host or server.id

    def log(self, rank: int) -> Path:
        """The file with everything a rank prints."""
        return self.folder / f"rank-{rank}.log"

    def records(self, kind: str) -> tuple[Path, ...]:
        """The files in which the ranks record findings, say; one that recorded nothing has none."""
        return tuple(records.path_of(self.folder, kind, rank.number) for rank in self.ranks)

    def files(self) -> dict[str, str]:
        """Files that must be in the folder of every server before its ranks start."""
        return {**self._read_by_ranks(), PLAN_FILE: self.dump()}

    def _read_by_ranks(self) -> dict[str, str]:
        return {**({TABLE_FILE: self.table} if self.table else {}), **self.extra_files}

    def with_variables(self, variables: Mapping[str, str]) -> Job:
        """Return the same job with more variables for every rank."""
        ranks = (
            replace(rank, environment={**rank.environment, **variables}) for rank in self.ranks
        )
        return replace(self, ranks=tuple(ranks))

    def dump(self) -> str:
        """The job as JSON: for the agents of other servers, and for readers of the logs."""
        document = {
            "version": PLAN_VERSION,
            "job": self.name,
            "command": list(self.command),
            "project": str(self.project),
            "folder": str(self.folder),
            "servers": [
                {"id": server.id, "host": server.host, "devices": len(server.devices)}
                for server in self.inventory.servers
            ],
            "unset": sorted(UNSET),
            "consequences": consequences(),
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


def with_known_servers(job: Job) -> Job:
    """The job with the servers that a scheduler has chosen, which its plan file now names."""
    known = json.loads((job.folder / PLAN_FILE).read_text(encoding="utf-8"))["servers"]
    servers = (
        replace(server, id=each["id"], host=each["host"])
        for server, each in zip(job.inventory.servers, known)
    )
    return replace(job, inventory=Inventory(tuple(servers)))
