"""The environment of a rank under emulation: that of a real machine, and what stand-ins read.

Names, values and the shape of the rank table are those of the vendor's documents for distributed
TensorFlow 1.15 training; what the user has set is kept unless it contradicts them.
"""

from __future__ import annotations

import ipaddress
import json
import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ascendify.emulation.paths import COMMANDS, PACKAGES, STARTUP

DEVICES_PER_SERVER = 8
_SMALL_JOBS = (1, 2, 4)
"""Fewer devices than a server has must be one, or two or four within one of its two networks."""
_CONTRADICTING = (
    # a job is described by a rank table or by its chief, never by both
    "CM_CHIEF_IP",
    "CM_CHIEF_PORT",
    "CM_CHIEF_DEVICE",
    "CM_WORKER_SIZE",
    "CM_WORKER_IP",
    "POD_NAME",
    "RANK_TABLE_FILE",
    # every rank has a device here, whatever the machine has
    "ASCEND_RT_VISIBLE_DEVICES",
    # another run this one is started from
    "ASCENDIFY_STRICT",
    "ASCENDIFY_FINDINGS",
    "ASCENDIFY_CAPTURE",
    "ASCENDIFY_JOB",
)
_FIRST_DEVICE_ADDRESS = ipaddress.IPv4Address("10.0.0.1")
_FIRST_SERVER_ADDRESS = ipaddress.IPv4Address("127.0.0.1")
"""Of the loopback network: all servers are this machine."""


@dataclass(frozen=True)
class Job:
    """What the ranks of one run share."""

    devices: int
    project: Path
    """The user's files are those below it."""
    folder: Path
    """Gets the logs and what the ranks tell us."""
    address: str
    """Where rank 0 listens for the others: host, port, and a word that keeps strangers out."""
    name: str
    strict: bool = False

    def log(self, rank: int) -> Path:
        """What a rank prints."""
        return self.folder / f"rank-{rank}.log"

    def findings(self, rank: int) -> Path:
        """What the stand-ins found in a rank, one JSON object a line."""
        return self.folder / f"findings-{rank}.jsonl"

    def capture(self, rank: int) -> Path:
        """The numbers a rank trained with, one JSON object a line."""
        return self.folder / f"capture-{rank}.jsonl"

    @property
    def rank_table(self) -> Path:
        """Who is who; only a job of several ranks has one."""
        return self.folder / "rank_table.json"


def new_job(devices: int, project: Path, folder: Path, *, strict: bool = False) -> Job:
    """Prepare a job: a folder without anything of an earlier one, and a rank table."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for pattern in ("rank-*.log", "findings-*.jsonl", "capture-*.jsonl", "rank_table.json"):
        for old in folder.glob(pattern):
            old.unlink()
    token = secrets.token_hex(8)
    address = f"127.0.0.1:{_free_port()}:{token}"
    job = Job(devices, project.resolve(), folder, address, f"ascendify-{token}", strict)
    if devices > 1:
        table = json.dumps(rank_table(devices), indent=2)
        job.rank_table.write_text(f"{table}\n", encoding="utf-8")
    return job


def rank_environment(
    job: Job, rank: int, base: Mapping[str, str] = os.environ, *, capture: bool = False
) -> dict[str, str]:
    """Everything the process of a rank finds in its environment."""
    device = str(rank % DEVICES_PER_SERVER)
    environment = {
        **{key: value for key, value in base.items() if key not in _CONTRADICTING},
        "PATH": os.pathsep.join((base.get("PATH", os.defpath), str(COMMANDS))),
        "PYTHONPATH": search_path(base, PACKAGES),
        "RANK_ID": str(rank),
        "RANK_SIZE": str(job.devices),
        "ASCEND_DEVICE_ID": device,
        "DEVICE_ID": device,
        "JOB_ID": base.get("JOB_ID") or job.name,
        # An NPU machine has no GPU, and ranks that share one would run out of its memory.
        "CUDA_VISIBLE_DEVICES": "-1",
        "ASCENDIFY_JOB": job.address,
        "ASCENDIFY_ROOT": str(job.project),
    }
    environment.setdefault("PYTHONUNBUFFERED", "1")
    if job.devices > 1:
        environment["RANK_TABLE_FILE"] = str(job.rank_table)
    if job.strict:
        environment["ASCENDIFY_STRICT"] = "1"
        environment["ASCENDIFY_FINDINGS"] = str(job.findings(rank))
    if capture:
        environment["ASCENDIFY_CAPTURE"] = str(job.capture(rank))
    return environment


def search_path(base: Mapping[str, str], *packages: Path) -> str:
    """A PYTHONPATH that has our start-up module first, then these folders, then the user's."""
    users = base.get("PYTHONPATH")
    return os.pathsep.join((*map(str, (STARTUP, *packages)), *((users,) if users else ())))


def rank_table(devices: int) -> dict[str, object]:
    """A rank table, template 1: full servers first, ranks in the order of the devices."""
    servers = [
        {
            "server_id": str(_FIRST_SERVER_ADDRESS + number),
            "device": [
                {
                    "device_id": str(rank - first),
                    "device_ip": str(_FIRST_DEVICE_ADDRESS + rank),
                    "rank_id": str(rank),
                }
                for rank in range(first, min(first + DEVICES_PER_SERVER, devices))
            ],
        }
        for number, first in enumerate(range(0, devices, DEVICES_PER_SERVER))
    ]
    return {
        "status": "completed",
        "version": "1.0",
        "server_count": str(len(servers)),
        "server_list": servers,
    }


def hardware_allows(devices: int) -> bool:
    """Whether Atlas training servers can run a job of that many devices."""
    return devices in _SMALL_JOBS or devices % DEVICES_PER_SERVER == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
