"""Variables that mpirun sets: read those of the NPU launcher instead."""

from __future__ import annotations

import ast

from ascendify.rules.horovod import _horovod
from ascendify.rules.kit import Diagnoses, Diagnosis, Effort, File, ImportSite, Rule, Status

RULE = Rule(
    code="TF1-HVD-11",
    title="Read rank and size from the NPU launcher's environment",
    why=(
        "Ranks on NPUs are started without mpirun. A script that reads its variables finds none, "
        "assumes a run on one device and trains alone on every rank."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="distributed = 'OMPI_COMM_WORLD_SIZE' in os.environ",
    after="distributed = 'RANK_SIZE' in os.environ",
    safety="RANK_SIZE and RANK_ID are set for a run on one device as well: RANK_SIZE is then 1.",
)

_VARIABLES = {
    "OMPI_COMM_WORLD_SIZE": "RANK_SIZE",
    "OMPI_COMM_WORLD_RANK": "RANK_ID",
    "OMPI_COMM_WORLD_LOCAL_RANK": "ASCEND_DEVICE_ID",
    "PMI_SIZE": "RANK_SIZE",
    "PMI_RANK": "RANK_ID",
    "HOROVOD_SIZE": "RANK_SIZE",
    "HOROVOD_RANK": "RANK_ID",
    "HOROVOD_LOCAL_RANK": "ASCEND_DEVICE_ID",
}
"""Variables of MPI and Horovod launchers -> those that a launcher for NPUs sets."""


@RULE.file
def variables(file: File) -> Diagnoses:
    """Rename variables that a Horovod project reads."""
    text = file.module.source.text
    if file.facts.distributed != "horovod" or not any(name in text for name in _VARIABLES):
        return
    for node in file.module.index.of(ast.Constant):
        if node.value in _VARIABLES:
            yield _rename(file, node)


def _rename(file: File, node: ast.Constant) -> Diagnosis:
    old = str(node.value)
    new = _VARIABLES[old]
    found = f"{old} is set by mpirun or horovodrun"
    written = file.text(node)
    todo = (
        f"Check the use: {new} is set for a run on one device too, where RANK_SIZE is 1, so its "
        "presence alone does not mean that several ranks run."
    )
    if written[1:-1] != old:
        return RULE.manual(file.at(node), found, todo=f"Read {new} instead. {todo}")
    fix = file.fix()
    fix.replace(node, written[0] + new + written[-1])
    done = f"Renamed it to {new}."
    return RULE.auto_check(file.at(node), found, done=done, todo=todo, fix=fix)


@RULE.imports("mpi4py", "mpi4py.*")
def mpi(site: ImportSite) -> Diagnoses:
    """An import of mpi4py, which works only under mpirun."""
    yield RULE.manual(
        site,
        f"{site.text} needs processes started by mpirun",
        todo=(
            "Started without it, every process is rank 0 of 1. Replace what is exchanged: rank and "
            f"size by {_ranks(site.file)}, a shared seed by a fixed one, numbers by "
            "hccl_ops collectives, objects by files."
        ),
        effort=Effort.HOURS,
        cause="mpi4py",
    )


def _ranks(file: File) -> str:
    """Expressions for the rank and the number of ranks, to name in advice."""
    if _horovod.is_eager(file):
        return "int(os.getenv('RANK_ID', '0')) and int(os.getenv('RANK_SIZE', '1'))"
    return "get_rank_id() and get_rank_size()"
