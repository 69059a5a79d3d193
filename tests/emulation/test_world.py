"""Collectives between real processes: numbers, errors, nothing left behind."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

import pytest

from support.processes import expect_line, wait_until
from support.world_processes import LIMIT, Ended, good, job, numpy_python, run_ranks, start

REPORTED = 7
"""Exit code of a rank that got a CollectiveError."""


@pytest.fixture(scope="module")
def python() -> str:
    return numpy_python()


def _leftovers() -> set[str]:
    folders = [Path("/dev/shm"), Path(tempfile.gettempdir())]
    return {str(path) for folder in folders for path in folder.glob("ascendify-memory-*")}


def _nothing_left(before: set[str]) -> bool:
    """Whether nothing has come to stay; ranks of other tests come and go meanwhile."""
    return wait_until(lambda: _leftovers() <= before)


def _errors(python: str, scenario: str, *, size: int = 2, **environment: str) -> list[Ended]:
    with tempfile.TemporaryDirectory() as folder:
        return run_ranks(
            python, "world_errors.py", scenario, folder, size=size, environment=environment
        )


def test_every_collective_equals_numpy(python: str) -> None:
    before = _leftovers()
    ended = run_ranks(python, "world_table.py", size=4)
    good(ended)
    assert [one.output for one in ended] == ["equal\n"] * 4
    assert _nothing_left(before)


@pytest.mark.parametrize(
    ("scenario", "sides"),
    [
        ("shape", ("allreduce 'loss' (float32[3], reduction sum)", "float32[4]")),
        ("dtype", ("float32[3]", "float16[3]")),
        ("reduction", ("reduction sum", "reduction max")),
        ("kind", ("allreduce 'loss'", "broadcast 'loss' (float32[3], root 1)")),
        ("many", ("array 17: float32[18] against float32[3]",)),
        ("pieces", ("rank 0 sends 2 elements to rank 1, which expects 1",)),
    ],
)
def test_calls_that_differ_are_reported_at_once(
    python: str, scenario: str, sides: tuple[str, ...]
) -> None:
    for one in _errors(python, scenario, ASCENDIFY_MISMATCH_GRACE="600"):
        assert one.code == REPORTED, one.errors
        assert all(side in one.output for side in sides), one.output


@pytest.mark.parametrize(
    ("scenario", "sides"),
    [
        ("names", ("rank 0: allreduce 'loss'", "rank 1: allreduce 'accuracy'")),
        ("sends", ("rank 0: send 'state, 0 to 1'", "rank 1: send 'state, 1 to 0'")),
    ],
)
def test_waits_that_cannot_end_are_reported(
    python: str, scenario: str, sides: tuple[str, str]
) -> None:
    for one in _errors(python, scenario, ASCENDIFY_MISMATCH_GRACE="1"):
        assert one.code == REPORTED, one.errors
        assert "do not match" in one.output
        assert all(side in one.output for side in sides), one.output


def test_a_rank_that_still_computes_is_waited_for(python: str) -> None:
    ended = _errors(python, "computing", ASCENDIFY_MISMATCH_GRACE="4")
    good(ended)


@pytest.mark.parametrize(
    ("scenario", "gone", "texts"),
    [
        ("crash", 1, ("Rank 1 exited", "allreduce 'gradients'", "same number of batches")),
        ("crash_of_first", 0, ("Rank 0 exited", "allreduce 'gradients'")),
        ("exception", 1, ("Rank 1 exited", "KeyError: 'label'")),
        ("uneven", 0, ("Rank 0 exited", "allreduce 'gradients'", "same number of batches")),
        ("uneven_first", 2, ("Rank 2 exited", "allreduce 'gradients'", "same number of batches")),
        ("orphan", 1, ("Rank 1 exited", "allreduce 'gradients'")),
    ],
)
def test_a_peer_that_ends_is_named_at_once(
    python: str, scenario: str, gone: int, texts: tuple[str, ...]
) -> None:
    ended = _errors(python, scenario, size=3)
    reported = [one for rank, one in enumerate(ended) if rank != gone and one.code == REPORTED]
    assert len(reported) == 2 if not scenario.startswith("uneven") else reported
    assert any(all(text in one.output for text in texts) for one in reported), ended


def test_a_rank_that_does_not_arrive_is_named(python: str) -> None:
    first, second = _errors(python, "absent", HCCL_CONNECT_TIMEOUT="6")
    assert first.code == second.code == REPORTED
    assert "Rank 1 did not call allreduce 'gradients'" in first.output
    assert "rank 1: is in no collective" in first.output


def test_a_rank_that_computes_is_waited_for_as_long_as_a_device_would(python: str) -> None:
    good(_errors(python, "evaluating", HCCL_CONNECT_TIMEOUT="4"))
    first, second = _errors(python, "evaluating", HCCL_EXEC_TIMEOUT="1")
    assert first.code == second.code == REPORTED
    assert "(HCCL_EXEC_TIMEOUT)" in first.output


@pytest.mark.parametrize(
    ("only", "texts"),
    [
        ((0, 1), "Rank 2 did not connect within 6 s"),
        ((1,), "Rank 1 did not reach rank 0 at 127.0.0.1:"),
    ],
)
def test_a_rank_that_is_not_started_is_named(
    python: str, only: tuple[int, ...], texts: str
) -> None:
    environment = {"HCCL_CONNECT_TIMEOUT": "6"}
    ended = run_ranks(python, "world_errors.py", "late", size=3, only=only, environment=environment)
    for one in ended:
        assert one.code == REPORTED, one.errors
        assert texts in one.output
        assert "allreduce 'fine'" in one.output


def test_a_late_peer_is_waited_for(python: str) -> None:
    ended = _errors(python, "late")
    good(ended)
    assert [one.output for one in ended] == ["[2.0, 2.0, 2.0]\n"] * 2


def test_ranks_find_each_other_without_being_reported(python: str, tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    table.write_text("{}")
    environment = {"ASCENDIFY_JOB": "", "JOB_ID": job(), "RANK_TABLE_FILE": str(table)}
    good(run_ranks(python, "world_errors.py", "late", size=2, environment=environment))


def test_a_foreign_token_is_refused(python: str) -> None:
    address = job()
    settings = {"RANK_SIZE": "2", "HCCL_CONNECT_TIMEOUT": "8"}
    first = start(python, "world_errors.py", "late", rank=0, ASCENDIFY_JOB=address, **settings)
    other = start(
        python, "world_errors.py", "late", rank=1, ASCENDIFY_JOB=address + "x", **settings
    )
    outputs = [process.communicate(timeout=LIMIT)[0] for process in (first, other)]
    assert "Rank 1 did not connect" in outputs[0]
    assert "refused this job's token" in outputs[1]


def test_a_second_process_of_a_rank_is_refused(python: str) -> None:
    environment = {"HCCL_CONNECT_TIMEOUT": "8"}
    ended = run_ranks(
        python, "world_errors.py", "late", size=3, only=(0, 1, 1), environment=environment
    )
    assert any("A second process connected as rank 1" in one.output for one in ended)


def test_a_forked_worker_is_no_rank(python: str) -> None:
    ended = _errors(python, "forked")
    good(ended)
    for one in ended:
        assert "forked from rank" in one.output
        assert "[2.0, 2.0, 2.0]" in one.output


def test_without_shared_memory_sockets_carry_everything(python: str) -> None:
    ended = _errors(python, "sockets")
    good(ended)
    assert {one.output for one in ended} == {"2.0\n1.0\n"}


def test_ranks_that_are_killed_together_leave_nothing(python: str) -> None:
    before = _leftovers()
    ended = _errors(python, "killed_together", size=3)
    assert {one.code for one in ended} <= {-signal.SIGKILL, REPORTED}
    assert _nothing_left(before)


def test_a_job_without_collectives_ends_at_once(python: str) -> None:
    good(_errors(python, "quiet", HCCL_CONNECT_TIMEOUT="600"))


def test_an_interrupt_ends_a_wait(python: str) -> None:
    """A rank that waits in a collective can be stopped from the keyboard."""
    settings = {"RANK_SIZE": "2", "ASCENDIFY_JOB": job()}
    waiting = start(python, "world_errors.py", "alone", rank=0, **settings)
    expect_line(waiting, "waiting")
    os.kill(waiting.pid, signal.SIGINT)
    assert "KeyboardInterrupt" in waiting.communicate(timeout=LIMIT)[1]
