"""No variable of an outer job reaches a rank, whichever command has plan_job its job."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import ascendify
from ascendify.cluster.inventory import from_counts
from ascendify.emulation.environment import Emulation
from ascendify.jobs.environment import rank_environment
from ascendify.jobs.job import Job, JobRequest
from ascendify.jobs.plan import plan
from ascendify.jobs.run import RESTART_VARIABLES
from ascendify.jobs.unset import SETTINGS, UNSET
from ascendify.launch.request import LaunchRequest, plan_job
from ascendify.verify.request import VerifyRequest
from ascendify.verify.sides import plan_side

COMMAND = ("python", "train.py")
SOURCES = Path(ascendify.__file__).parent
OUTER = "of an outer job"


def by_launch(folder: Path) -> Job:
    return plan_job(LaunchRequest(COMMAND, "2", project=folder, folder=folder / "logs"), print)


def by_run(folder: Path) -> Job:
    servers = from_counts(1, 2)
    return plan(JobRequest(COMMAND, servers, folder, folder / "logs", emulation=Emulation()))


def by_verify(side: str, devices: int) -> Callable[[Path], Job]:
    def make(folder: Path) -> Job:
        (folder / "train.py").write_text("import horovod.tensorflow as hvd\n")
        request = VerifyRequest(folder, folder, COMMAND, COMMAND, devices)
        return plan_side(side, request, folder, folder / "logs")

    return make


JOBS = {
    "launch": by_launch,
    "run": by_run,
    "original": by_verify("original", 1),
    "original-of-several-ranks": by_verify("original", 2),
    "migrated": by_verify("migrated", 2),
}


@pytest.mark.parametrize("make", JOBS.values(), ids=JOBS)
def test_nothing_of_an_outer_job_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], Job]
) -> None:
    for name in UNSET:
        monkeypatch.setenv(name, OUTER)
    for rank in make(tmp_path).ranks:
        found = rank_environment(rank)
        assert [name for name, value in found.items() if value == OUTER] == []
        assert found["HOME"] == os.environ["HOME"]


@pytest.mark.parametrize("make", JOBS.values(), ids=JOBS)
def test_settings_of_the_user_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make: Callable[[Path], Job]
) -> None:
    for name in SETTINGS:
        monkeypatch.setenv(name, "mine")
    for rank in make(tmp_path).ranks:
        found = rank_environment(rank)
        # verify chooses these itself
        chosen = {"ASCENDIFY_SEED", "ASCENDIFY_DETERMINISTIC", "ASCENDIFY_SHARED_RANDOM"}
        assert {name for name in SETTINGS if found[name] != "mine"} <= chosen


def test_every_variable_of_ours_is_decided_about() -> None:
    """A new variable must be added to one of the lists."""
    named = {
        name
        for path in SOURCES.rglob("*")
        if path.suffix in (".py", ".sh", "") and path.is_file() and "__pycache__" not in path.parts
        for name in re.findall(r"\bASCENDIFY_[A-Z_]*[A-Z]\b", path.read_text(encoding="utf-8"))
    }
    listed = {*UNSET, *SETTINGS, *RESTART_VARIABLES}
    assert named == {name for name in listed if name.startswith("ASCENDIFY_")}


def test_every_variable_has_its_reason() -> None:
    assert all({**UNSET, **SETTINGS}.values())
    assert not UNSET.keys() & SETTINGS.keys()


def test_agents_of_other_servers_do_the_same(tmp_path: Path) -> None:
    namespace: dict[str, Callable[[object, object, object], dict[str, str]]] = {}
    program = SOURCES / "launch" / "remote" / "rank_of_plan.py"
    exec(program.read_text(encoding="utf-8"), namespace)
    job = by_launch(tmp_path).with_variables({"ASCENDIFY_SEARCH": "/here"})
    document = json.loads(job.dump())
    base = {**dict.fromkeys(UNSET, OUTER), "PYTHONPATH": "/mine", "HOME": "/root"}
    for rank, written in zip(job.ranks, document["ranks"]):
        assert namespace["environment"](document, written, base) == rank_environment(rank, base)
