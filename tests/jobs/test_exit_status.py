"""How ranks exited that a launcher has started: by what their agents wrote, and by the launcher."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from ascendify.cluster.inventory import from_counts
from ascendify.jobs import exit_status
from ascendify.jobs.job import Job, JobRequest
from ascendify.jobs.plan import plan
from ascendify.processes import Ending, Outcome


@pytest.fixture
def job(tmp_path: Path) -> Job:
    """A job of two ranks."""
    return plan(JobRequest(("python", "train.py"), from_counts(1, 2), tmp_path, tmp_path))


def launcher(job: Job, code: int, *, stopped: bool = False) -> Outcome:
    """How the launcher exited after ten seconds."""
    log = job.folder / "launcher.log"
    log.write_text("the launcher lost a node\n")
    ending = Ending.from_code(log, code, 10.0, stopped=stopped)
    return Outcome((ending,), (0,) if ending.failed else (), 10.0, left_behind=1)


def write(job: Job, rank: int, code: int, after: float, *, stopped: bool = False) -> None:
    """Write what an agent writes."""
    exited = {"code": code, "ended": time.time() - 10.0 + after, "stopped": stopped}
    exit_status.record(job, job.ranks[rank]).write_text(json.dumps(exited))


def test_the_first_to_fail_is_the_first_by_time(job: Job) -> None:
    write(job, 0, 1, 5.0)
    write(job, 1, -9, 3.0)
    found = exit_status.outcome(job, job.ranks, launcher(job, 1))
    assert found.failed == (1, 0)
    assert [ending.how for ending in found.endings] == ["exit code 1", "signal SIGKILL"]
    # agents have stopped what their ranks left behind
    assert found.left_behind == 0


def test_success_of_the_launcher_counts_for_ranks_without_a_record(job: Job) -> None:
    assert exit_status.outcome(job, job.ranks, launcher(job, 0)).succeeded


def test_a_failed_launcher_stands_for_a_rank(job: Job) -> None:
    write(job, 0, 0, 9.0)
    found = exit_status.outcome(job, job.ranks, launcher(job, 7), lambda _log: 1)
    assert found.failed == (1,)
    assert found.endings[1].log.read_text() == "the launcher lost a node\n"
    assert not found.endings[0].failed


def test_ranks_of_a_launcher_that_was_stopped_have_not_failed(job: Job) -> None:
    write(job, 0, 1, 9.0)
    found = exit_status.outcome(job, job.ranks, launcher(job, -15, stopped=True))
    assert found.failed == ()
    assert all(ending.stopped for ending in found.endings)


@pytest.mark.parametrize(("code", "how"), [(3, "exit code 3"), (143, "signal SIGTERM")])
def test_codes_of_shells(tmp_path: Path, code: int, how: str) -> None:
    assert Ending.from_shell_code(tmp_path / "log", code, 1.0, stopped=False).how == how
