"""The environment of a rank under emulation: that of a real machine, and what stand-ins read.

Names, values and the shape of the rank table are those of the vendor's documents for distributed
TensorFlow 1.15 training; for PyTorch they are those that torchrun sets. What the user has set is
kept unless it contradicts them.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ascendify.catalog import hardware, torch_releases, versions
from ascendify.emulation.paths import COMMANDS, PACKAGES, STARTUP
from ascendify.errors import UsageError, did_you_mean

MEASURE = "ASCENDIFY_MEASURE"
"""The folder in which a rank writes down its steps; see ``ascendify_startup.measure``."""
TORCH_NPU = "ASCENDIFY_TORCH_NPU"
"""The release of torch_npu to stand for; see ``torch_npu._release``."""
_FIRST_TORCH = (2, 1)
"""The oldest line of PyTorch that there is a stand-in for."""
DEVICES_PER_SERVER = 8
SOCS = hardware.emulated()
"""The families of training hardware the emulation can stand for, the oldest first."""
DEFAULT_SOC = "910B"
_DEVICES_PER_SERVER = {"A3": 16}
"""Where it is another number: an A3 server has eight NPUs of two devices each."""
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
    # how torchrun describes a job to a rank
    "RANK",
    "WORLD_SIZE",
    "LOCAL_RANK",
    "LOCAL_WORLD_SIZE",
    "GROUP_RANK",
    "MASTER_ADDR",
    "MASTER_PORT",
    # another run this one is started from
    "ASCENDIFY_STRICT",
    "ASCENDIFY_FINDINGS",
    "ASCENDIFY_CAPTURE",
    "ASCENDIFY_JOB",
    "ASCENDIFY_AUDIT",
    "ASCENDIFY_SOC",
    "ASCENDIFY_DEVICES",
    "ASCENDIFY_MEASURE",
    "ASCENDIFY_EMULATION",
)
_GPU_HIDING = {
    "CUDA_VISIBLE_DEVICES": "-1",
    "HIP_VISIBLE_DEVICES": "-1",
    "ROCR_VISIBLE_DEVICES": "-1",
}
"""What the libraries of NVIDIA and AMD read, and the values for which they find no GPU."""
HIDDEN_GPU = {
    **_GPU_HIDING,
    # read by container runtimes that a program may start
    "NVIDIA_VISIBLE_DEVICES": "void",
    # the start-up module keeps the values above even where a program sets its own
    "ASCENDIFY_HIDE_GPU": " ".join(f"{name}={value}" for name, value in _GPU_HIDING.items()),
}
"""The environment of a process that finds no GPU, whatever this machine has."""
_OURS = (
    "rank-*.log",
    "findings-*.jsonl",
    "capture-*.jsonl",
    "audit-*.jsonl",
    "measure-*.jsonl",
    "emulation-*.jsonl",
    "rank_table.json",
)
"""What a job leaves in its folder."""
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
    soc: str = DEFAULT_SOC
    once: bool = False
    """Whether one process is started, which starts the ranks by itself."""
    audit: bool = False
    """Whether what runs is counted."""
    measure: bool = False
    """Whether steps are timed."""
    port: int = 0
    """Where rank 0 of a PyTorch job listens."""

    @property
    def processes(self) -> int:
        """How many processes are started."""
        return 1 if self.once else self.devices

    def log(self, rank: int) -> Path:
        """What a rank prints."""
        return self.folder / f"rank-{rank}.log"

    def findings(self, rank: int) -> Path:
        """What the stand-ins found in a rank, one JSON object a line."""
        return self.folder / f"findings-{rank}.jsonl"

    def capture(self, rank: int) -> Path:
        """The numbers a rank trained with, one JSON object a line."""
        return self.folder / f"capture-{rank}.jsonl"

    def audited(self, rank: int) -> Path:
        """What a rank did, one JSON object a line."""
        return self.folder / f"audit-{rank}.jsonl"

    def emulation(self, rank: int) -> Path:
        """How the NPU was emulated for a rank, one JSON object a line; see :mod:`.ways`."""
        return self.folder / f"emulation-{rank}.jsonl"

    @property
    def rank_table(self) -> Path:
        """Who is who; only a job of several ranks has one."""
        return self.folder / "rank_table.json"


def new_job(
    devices: int,
    project: Path,
    folder: Path,
    *,
    strict: bool = False,
    soc: str = DEFAULT_SOC,
    once: bool = False,
    audit: bool = False,
    measure: bool = False,
) -> Job:
    """Prepare a job: a folder without anything of an earlier one, and a rank table."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    for pattern in _OURS:
        for old in folder.glob(pattern):
            old.unlink()
    token = secrets.token_hex(8)
    port, torch_port = _free_ports(2)
    job = Job(
        devices,
        project.resolve(),
        folder,
        address=f"127.0.0.1:{port}:{token}",
        name=f"ascendify-{token}",
        strict=strict,
        soc=soc,
        once=once,
        audit=audit,
        measure=measure,
        port=torch_port,
    )
    if job.processes > 1:
        table = json.dumps(rank_table(devices), indent=2)
        job.rank_table.write_text(f"{table}\n", encoding="utf-8")
    return job


def rank_environment(
    job: Job,
    rank: int,
    base: Mapping[str, str] = os.environ,
    *,
    capture: bool = False,
    place: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Everything the process of a rank finds in its environment.

    Args:
        job: What the ranks share.
        rank: Which of them it is.
        base: What is here.
        capture: Whether it writes down the numbers it trains with.
        place: What tells it which rank it is; None for one among the devices of this job.
    """
    if place is None:
        place = {} if job.once else _place_in_job(job, rank)
    environment = {
        **{key: value for key, value in base.items() if key not in _CONTRADICTING},
        "PATH": os.pathsep.join((base.get("PATH", os.defpath), str(COMMANDS))),
        "PYTHONPATH": search_path(base, PACKAGES),
        "JOB_ID": base.get("JOB_ID") or job.name,
        # An NPU machine has no GPU, and ranks that share one would run out of its memory.
        **HIDDEN_GPU,
        "ASCENDIFY_JOB": job.address,
        "ASCENDIFY_ROOT": str(job.project),
        "ASCENDIFY_EMULATION": str(job.emulation(rank)),
        "ASCENDIFY_SOC": job.soc,
        "ASCENDIFY_DEVICES": str(min(job.devices, devices_per_server(job.soc))),
        **place,
    }
    environment.setdefault("PYTHONUNBUFFERED", "1")
    if job.strict:
        environment["ASCENDIFY_STRICT"] = "1"
        environment["ASCENDIFY_FINDINGS"] = str(job.findings(rank))
    if job.audit:
        environment["ASCENDIFY_AUDIT"] = str(job.audited(rank))
    if job.measure:
        environment[MEASURE] = str(job.folder)
    if capture:
        environment["ASCENDIFY_CAPTURE"] = str(job.capture(rank))
    return environment


def _place_in_job(job: Job, rank: int) -> dict[str, str]:
    """Which rank a process is: in the words of TensorFlow's adapter, and in those of torchrun.

    A lone rank is not told the latter. Scripts take the mere presence of RANK for a job of several
    ranks, and ``python train.py`` on a real machine does not set it either.
    """
    device = str(rank % DEVICES_PER_SERVER)
    place = {
        "RANK_ID": str(rank),
        "RANK_SIZE": str(job.devices),
        "ASCEND_DEVICE_ID": device,
        "DEVICE_ID": device,
    }
    if job.devices == 1:
        return place
    per_server = devices_per_server(job.soc)
    first = rank - rank % per_server
    return {
        **place,
        "RANK_TABLE_FILE": str(job.rank_table),
        "RANK": str(rank),
        "WORLD_SIZE": str(job.devices),
        "LOCAL_RANK": str(rank - first),
        "LOCAL_WORLD_SIZE": str(min(per_server, job.devices - first)),
        "GROUP_RANK": str(rank // per_server),
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(job.port),
    }


def devices_per_server(soc: str) -> int:
    """How many devices a server of that hardware has."""
    return _DEVICES_PER_SERVER.get(soc, DEVICES_PER_SERVER)


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


def check_soc(soc: str | None) -> None:
    """Refuse hardware the emulation cannot stand for.

    Raises:
        UsageError: it has no such name.
    """
    if soc is not None and soc not in SOCS:
        hint = did_you_mean(soc, SOCS, f"it is one of {', '.join(SOCS)}")
        raise UsageError(f"--soc {soc} is no hardware the emulation knows", hint)


def check_torch_npu(environment: Mapping[str, str] = os.environ) -> None:
    """Refuse a release of torch_npu the emulation cannot stand for.

    Raises:
        UsageError: it has no such version.
    """
    wanted = environment.get(TORCH_NPU)
    known = {
        item.version: versions.line(item.torch)
        for item in torch_releases.releases()
        if "rc" not in item.version and versions.numbers(item.torch) >= _FIRST_TORCH
    }
    if wanted and wanted not in known:
        newest = {line: version for version, line in known.items()}
        listed = f"the newest of each line are {', '.join(newest.values())}"
        raise UsageError(
            f"{TORCH_NPU} is {wanted!r}, which is no release of torch_npu that the emulation "
            "stands for",
            f"{did_you_mean(wanted, known, '')} {listed}".strip(),
        )


def hardware_allows(devices: int, soc: str | None = None) -> bool:
    """Whether servers of that hardware can run a job of that many devices.

    Without a name it is the oldest, whose devices work together in fixed numbers; newer ones take
    any number.
    """
    newer = soc is not None and soc != SOCS[0]
    return newer or devices in _SMALL_JOBS or devices % DEVICES_PER_SERVER == 0


def _free_ports(count: int) -> list[int]:
    """Ports nobody has; all are held until the last is known, so that no two are the same."""
    with contextlib.ExitStack() as held:
        probes = [held.enter_context(socket.socket()) for _ in range(count)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]
