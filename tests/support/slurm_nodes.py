"""A Slurm of two nodes on this machine: no accounting, no munge, devices that are only counted."""

from __future__ import annotations

import contextlib
import getpass
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from ascendify.jobs.ports import free_port
from support.processes import wait_until

DEVICES = 8
NODES = ("node0", "node1")
_PROGRAMS = ("slurmctld", "slurmd", "sbatch", "srun", "salloc", "scancel", "squeue", "sinfo")
_CONF = """\
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort={ports[0]}
AuthType=auth/none
CredType=cred/none
SlurmUser={user}
SlurmdUser={user}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobCompType=jobcomp/none
ReturnToService=2
KillWait=5
SlurmdParameters=config_overrides
GresTypes=npu
NodeName={nodes[0]} NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[1]} CPUs=16 Gres=npu:8
NodeName={nodes[1]} NodeHostname=localhost NodeAddr=127.0.0.1 Port={ports[2]} CPUs=16 Gres=npu:8
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def missing() -> str:
    """Why there can be no Slurm here; empty when there can."""
    path = f"{os.environ.get('PATH', os.defpath)}:/usr/sbin"
    lacking = [name for name in _PROGRAMS if shutil.which(name, path=path) is None]
    return f"needs Slurm (Debian: slurm-wlm); not here: {', '.join(lacking)}" if lacking else ""


@contextlib.contextmanager
def slurm(folder: Path, *, numbered: bool = False) -> Iterator[dict[str, str]]:
    """Two nodes; yields what programs must find in their environment to reach them.

    Devices are counted, or have files and therefore numbers, as Slurm's gres.conf has it.
    """
    ports = [free_port() for _ in range(3)]
    for name in ("state", "spool", *(f"spool/{node}" for node in NODES)):
        (folder / name).mkdir()
    conf = folder / "slurm.conf"
    conf.write_text(_CONF.format(folder=folder, ports=ports, user=getpass.getuser(), nodes=NODES))
    for number in range(DEVICES):
        (folder / f"davinci{number}").touch()
    devices = f"File={folder}/davinci[0-{DEVICES - 1}]" if numbered else f"Count={DEVICES}"
    (folder / "gres.conf").write_text(f"NodeName={','.join(NODES)} Name=npu {devices}\n")
    variables = {
        "SLURM_CONF": str(conf),
        "PATH": f"{os.environ.get('PATH', os.defpath)}:/usr/sbin",
    }
    commands = [
        ("slurmctld", "-D", "-c", "-f", str(conf)),
        *(("slurmd", "-D", "-N", node, "-f", str(conf)) for node in NODES),
    ]
    with contextlib.ExitStack() as stack:
        for number, command in enumerate(commands):
            log = stack.enter_context((folder / f"{command[0]}-{number}.log").open("wb"))
            started = subprocess.Popen(
                command, env={**os.environ, **variables}, stdout=log, stderr=log
            )
            stack.callback(_end, started)
        assert wait_until(lambda: _idle(variables) == len(NODES)), _logs(folder)
        yield variables


def _idle(variables: dict[str, str]) -> int:
    requested = subprocess.run(
        ("sinfo", "--noheader", "--states=idle", "--format=%D"),
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    return sum(map(int, requested.stdout.split()))


def _end(started: subprocess.Popen[bytes]) -> None:
    started.terminate()
    try:
        started.wait(timeout=10)
    except subprocess.TimeoutExpired:
        started.kill()
        started.wait()


def _logs(folder: Path) -> str:
    return "\n".join(path.read_text(errors="replace")[-2000:] for path in folder.glob("slurm*.log"))
