"""The environment variables of a rank: which rank it is, and where the others are.

Names and values are those of the vendor's documents on distributed training; for PyTorch they are
those that torchrun sets.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

from ascendify.emulation import records
from ascendify.emulation.environment import paths_to_stand_ins, stand_in_variables
from ascendify.jobs.job import TABLE_FILE, Identity, JobRequest, Rank
from ascendify.jobs.unset import SEARCH, UNSET

CONNECT_SECONDS = "600"
"""How long ranks on devices wait for each other to start: the usual two minutes are less than some
take to compile their graphs."""
CHIEF_PORT = 50000
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Rendezvous:
    """What all ranks of a job share: their number, and the addresses by which they connect."""

    job_name: str
    size: int
    port: int = 0
    """Where rank 0 listens."""
    chief: str = ""
    """The address of the chief; empty where there is none."""
    has_table: bool = False
    stand_ins: str = ""
    """The address at which rank 0 of the stand-ins listens; empty on real devices."""


def variables_of(
    request: JobRequest, rendezvous: Rendezvous, rank: Rank, base: Mapping[str, str]
) -> dict[str, str]:
    """Compute the variables that are set for a rank, in addition to those of its server.

    Args:
        request: The job.
        rendezvous: What its ranks share.
        rank: Where the rank runs.
        base: The variables of this machine; those of emulated ranks are derived from them.
    """
    found = _identity(request, rendezvous, rank, base)
    if request.emulation is not None:
        servers = request.inventory.servers
        found |= stand_in_variables(
            request.emulation,
            rank.number,
            address=rendezvous.stand_ins,
            # a machine that has the highest device also has all devices below it
            devices=1 + max(device.id for server in servers for device in server.devices),
            project=request.project.resolve(),
            folder=request.folder.resolve(),
        )
    if request.capture:
        path = records.path_of(request.folder.resolve(), "capture", rank.number)
        found["ASCENDIFY_CAPTURE"] = str(path)
    found |= request.variables
    if request.emulation is not None:
        found |= paths_to_stand_ins({**base, **request.variables})
    return found


def without_unset(base: Mapping[str, str]) -> dict[str, str]:
    """Remove the variables that no rank may inherit."""
    return {name: value for name, value in base.items() if name not in UNSET}


def rank_environment(rank: Rank, base: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return all environment variables of a rank, on a server that has these variables.

    ``launch/remote/rank_of_plan.py`` does the same on servers without ascendify.
    """
    found = {**without_unset(base), **rank.environment}
    if SEARCH in found:
        folders = (found[SEARCH], found.get("PYTHONPATH"))
        found["PYTHONPATH"] = os.pathsep.join(filter(None, folders))
    found.setdefault("PYTHONUNBUFFERED", "1")
    return found


def _identity(
    request: JobRequest, rendezvous: Rendezvous, rank: Rank, base: Mapping[str, str]
) -> dict[str, str]:
    """Return the variables that tell a process its rank and how to reach the other ranks."""
    if request.identity is Identity.NONE:
        return {}
    if request.identity is Identity.TORCHRUN:
        return _torchrun(request, rendezvous, rank)
    if request.identity is Identity.HOROVOD:
        return _horovod(rendezvous, rank)
    own_name = "" if request.name or request.on_npus else base.get("JOB_ID", "")
    found = {"JOB_ID": own_name or rendezvous.job_name, **_devices(request, rank)}
    if request.once:
        return found
    if not request.by_chief or rendezvous.size == 1:
        found |= {"RANK_ID": str(rank.number), "RANK_SIZE": str(rendezvous.size)}
    if rendezvous.size == 1:
        # scripts take the mere presence of RANK for a job of several ranks
        return found
    if request.emulation is None:
        found["HCCL_CONNECT_TIMEOUT"] = base.get("HCCL_CONNECT_TIMEOUT", CONNECT_SECONDS)
    if rendezvous.has_table:
        found["RANK_TABLE_FILE"] = str(request.folder.resolve() / TABLE_FILE)
    if rendezvous.chief:
        found |= {
            "CM_CHIEF_IP": rendezvous.chief,
            "CM_CHIEF_PORT": str(CHIEF_PORT),
            "CM_CHIEF_DEVICE": "0",
            "CM_WORKER_SIZE": str(rendezvous.size),
        }
    return {**found, **_torchrun(request, rendezvous, rank), "GROUP_RANK": str(rank.server)}


def _devices(request: JobRequest, rank: Rank) -> dict[str, str]:
    """Return the device variables of a process: all of the server if it starts the ranks itself."""
    devices = [device.id for device in request.inventory.servers[rank.server].devices]
    renumbered = devices != list(range(len(devices)))
    found = {}
    if renumbered or (request.once and request.emulation is None):
        # scripts take their position on the server for the number of their device
        found["ASCEND_RT_VISIBLE_DEVICES"] = ",".join(map(str, devices))
    if request.once:
        return found
    own = rank.local if renumbered else rank.device
    return {**found, "ASCEND_DEVICE_ID": str(own), "DEVICE_ID": str(rank.device)}


def _torchrun(request: JobRequest, rendezvous: Rendezvous, rank: Rank) -> dict[str, str]:
    servers = request.inventory.servers
    return {
        "RANK": str(rank.number),
        "WORLD_SIZE": str(rendezvous.size),
        "LOCAL_RANK": str(rank.local),
        "LOCAL_WORLD_SIZE": str(len(servers[rank.server].devices)),
        "MASTER_ADDR": LOOPBACK if request.is_local else servers[0].host or servers[0].id,
        "MASTER_PORT": str(rendezvous.port),
    }


def _horovod(rendezvous: Rendezvous, rank: Rank) -> dict[str, str]:
    number, size = str(rank.number), str(rendezvous.size)
    return {
        # the stand-in for Horovod reads these
        **{"RANK_ID": number, "RANK_SIZE": size, "ASCENDIFY_JOB": rendezvous.stand_ins},
        **{"HOROVOD_RANK": number, "HOROVOD_SIZE": size},
        **{"HOROVOD_LOCAL_RANK": number, "HOROVOD_LOCAL_SIZE": size},
    }
