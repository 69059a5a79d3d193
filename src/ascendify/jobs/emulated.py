"""Jobs on emulated devices: describe and check them, for run, verify and ``launch --emulate``."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from ascendify.cluster import npus, topology
from ascendify.cluster.inventory import Inventory, spread
from ascendify.cluster.problem import errors
from ascendify.emulation import path_reports
from ascendify.emulation.environment import (
    DEFAULT_SOC,
    SOCS,
    Emulation,
    check_soc,
    check_torch_npu,
)
from ascendify.emulation.failures import OLDEST_PYTHON
from ascendify.errors import UsageError
from ascendify.jobs.job import Job, JobRequest
from ascendify.jobs.ports import free_port
from ascendify.processes.commands import check_command, python_version, read_python
from ascendify.processes.launchers import starts_ranks

SHARED_RANDOM = {"ASCENDIFY_SHARED_RANDOM": "1"}
"""Variables for one stream of random numbers: an NPU has its own, the CPU has only one."""
_PORT_OF_TORCHRUN = "PET_MASTER_PORT"
"""The default of torchrun's option --master-port, which is the same port in every job otherwise."""
_THREADS_OF_SEVERAL = "4"
"""A collective that waits for a peer holds a thread; others must go on."""


def repeatable(seed: int, devices: int) -> dict[str, str]:
    """Return the variables with which two runs of one program yield the same numbers.

    Args:
        seed: For programs that choose none.
        devices: How many ranks there are.
    """
    return {
        "ASCENDIFY_SEED": str(seed),
        "ASCENDIFY_DETERMINISTIC": "1",
        "PYTHONHASHSEED": str(seed),
        "TF_DETERMINISTIC_OPS": "1",
        "TF_NUM_INTRAOP_THREADS": "1",
        "TF_NUM_INTEROP_THREADS": "1" if devices == 1 else _THREADS_OF_SEVERAL,
        "OMP_NUM_THREADS": "1",
        # products of Intel's library otherwise depend on where in memory their arguments are
        "MKL_CBWR": "AUTO,STRICT",
        "MKL_DYNAMIC": "FALSE",
    }


def torchrun_port() -> dict[str, str]:
    """Return a port for a torchrun that the command starts, unless the user has chosen one."""
    return {_PORT_OF_TORCHRUN: os.environ.get(_PORT_OF_TORCHRUN) or str(free_port())}


def servers(devices: int, soc: str | None, *, once: bool = False) -> Inventory:
    """Return the servers for a number of devices; all but the last are full.

    A command that starts the ranks itself is started once: it finds the devices of one server.
    """
    found = spread(devices, topology.find(soc or DEFAULT_SOC).devices)
    return Inventory(found.servers[:1]) if once else found


def hardware_allows(devices: int, soc: str | None = None) -> bool:
    """Whether servers of that hardware can run a job with this number of devices.

    Without a name it is the oldest, whose devices work together in fixed numbers.
    """
    hardware = topology.find(soc or SOCS[0])
    return not errors(topology.inventory_problems(hardware.name, spread(devices, hardware.devices)))


def job_request(
    command: tuple[str, ...],
    project: Path,
    folder: Path,
    devices: int,
    emulation: Emulation,
    *,
    once: bool | None = None,
    variables: Mapping[str, str] | None = None,
    capture: bool = False,
) -> JobRequest:
    """Describe a job on emulated devices of this machine.

    Args:
        command: What each rank runs.
        project: The folder of the user's files.
        folder: For logs and what the stand-ins record.
        devices: How many ranks there are.
        emulation: The hardware, and what the stand-ins record.
        once: Whether the command starts the ranks itself; None to find out.
        variables: More environment variables for every rank.
        capture: Whether ranks record the numbers that they train with.
    """
    once = starts_ranks(command, project, once)
    return JobRequest(
        command=command,
        inventory=servers(devices, emulation.soc, once=once),
        project=project,
        folder=folder,
        variables=variables or {},
        once=once,
        capture=capture,
        emulation=emulation,
    )


def describe_emulation(job: Job) -> tuple[str, ...]:
    """Return notes for the user on how the NPU was emulated for a job that has run."""
    return path_reports.describe(path_reports.read(job.records("emulation")))


def check(
    command: Sequence[str],
    project: Path,
    devices: int,
    soc: str | None,
    warn: Callable[[str], None],
    *,
    emulate: bool,
    real: str,
) -> None:
    """Refuse devices that cannot be emulated, or that must not be, and a Python that cannot do it.

    Args:
        command: What each rank runs.
        project: The folder that it runs in.
        devices: How many ranks there are.
        soc: The hardware; None for the usual one.
        warn: Called with a line about NPUs of this machine that are not used.
        emulate: Whether the user gave ``--emulate``.
        real: The command that uses the NPUs of this machine.

    Raises:
        UsageError: what is wrong, and what to do.
    """
    if devices < 1:
        raise UsageError(f"--devices {devices} leaves nothing to run", "give 1 or more")
    check_soc(soc)
    check_torch_npu()
    warning = npus.check_emulated_on_purpose(emulate, real)
    if warning:
        warn(warning)
    _check_interpreter(command, project)


def warn_of_count(devices: int, soc: str | None, warn: Callable[[str], None]) -> None:
    """Warn about a number of devices that real servers do not support."""
    if not hardware_allows(devices, soc):
        warn(
            f"a job on Atlas training servers has 1, 2, 4 or 8 devices, or a multiple of 8; "
            f"{devices} run only here"
        )


def check_reads_environment(command: Sequence[str], purpose: str, otherwise: str) -> None:
    """Refuse a Python that ignores PYTHONPATH, by which it finds our code.

    Args:
        command: What each rank runs.
        purpose: What our code there does.
        otherwise: What else the user can leave out, as the end of a sentence; may be empty.

    Raises:
        UsageError: it has the option -I or -E.
    """
    python = read_python(command)
    if python is not None and python.ignores_environment:
        raise UsageError(
            f"{command[0]} ignores PYTHONPATH because of -I or -E, and so does not find {purpose}",
            f"leave out -I and -E{otherwise}",
        )


def _check_interpreter(command: Sequence[str], project: Path) -> None:
    python = check_command(command, project, os.environ)
    if python is None:
        return
    check_reads_environment(command, "the stand-ins", "")
    version = python_version(command[0], project, os.environ)
    if version is not None and version < OLDEST_PYTHON:
        raise UsageError(
            f"{command[0]} is Python {version[0]}.{version[1]}; the emulation needs 3.6 or newer",
            "name the interpreter of an environment with TensorFlow 1.15, which is Python 3.7",
        )
