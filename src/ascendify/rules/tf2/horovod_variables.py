"""Variables of mpirun and horovodrun: read those of the NPU launcher instead."""

from __future__ import annotations

from ascendify.rules.horovod import mpi_environment
from ascendify.rules.kit import Rule
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-HVD-11",
    title="Read the launcher's variables instead of those of mpirun",
    why=mpi_environment.RULE.why,
    statuses=mpi_environment.RULE.statuses,
    before="distributed = 'OMPI_COMM_WORLD_SIZE' in os.environ",
    after="distributed = 'RANK_SIZE' in os.environ",
    safety=mpi_environment.RULE.safety,
)

adopt(RULE, mpi_environment.RULE)
