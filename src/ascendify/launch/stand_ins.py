"""Ranks of a planned job on a CPU, through the stand-ins for the NPU's packages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ascendify.emulation.environment import DEFAULT_SOC, new_job, rank_environment
from ascendify.launch.local import Environment
from ascendify.launch.plan import CONTRADICTING, Plan, Rank


def environment_of(plan: Plan) -> Environment:
    """What a rank finds where the NPU's packages are stand-ins.

    Must be asked for before the plan's own files are written: the stand-ins' job begins with an
    empty folder too.
    """
    devices = plan.inventory.size
    job = new_job(devices, Path(plan.project), Path(plan.folder), soc=DEFAULT_SOC, once=plan.once)

    def given(rank: Rank, base: Mapping[str, str]) -> Mapping[str, str]:
        kept = {key: value for key, value in base.items() if key not in CONTRADICTING}
        if plan.once:
            told = dict(rank.environment)
            told.pop("ASCEND_RT_VISIBLE_DEVICES", None)  # every rank has a device here
        else:
            told = {**rank.environment, "MASTER_ADDR": "127.0.0.1"}
        return rank_environment(job, rank.number, kept, place=told)

    return given
