"""Which rank is to blame for the failure of a job, from how ranks exited and what they printed."""

from __future__ import annotations

import importlib
import json
import signal
from pathlib import Path
from typing import Any

import pytest

from ascendify.jobs.blame import Failure, blame, consequences
from ascendify.processes import Ending, Outcome

nodes: Any = importlib.import_module("ascendify.launch.remote.nodes")
"""A program for servers: it has no annotations."""
FINE = ("", 0)
ERROR = "Traceback (most recent call last):\n  File 'train.py', line 3\nValueError: {}"
LOST = "Traceback (most recent call last):\nRuntimeError: Connection closed by peer [127.0.0.1]"
WAITED = "EI0006: Getting socket times out."
STOPPED = None
"""As the exit code: it was stopped because of the others."""


def verdict(folder: Path, *ranks: tuple[str, int | None], on_npus: bool = False) -> Failure:
    """What is said of ranks that print something and exit one after the other."""
    endings = []
    for number, (printed, code) in enumerate(ranks):
        log = folder / f"rank-{number}.log"
        log.write_text(printed + "\n")
        stopped = code is STOPPED
        exited = -signal.SIGKILL if code is STOPPED else code
        endings.append(Ending.from_code(log, exited, float(number), stopped=stopped))
    failed = tuple(number for number, ending in enumerate(endings) if ending.failed)
    return blame(Outcome(tuple(endings), failed, 9.0), on_npus=on_npus)


RANKS: dict[str, tuple[int, list[tuple[str, int | None]]]] = {
    "the-first-to-fail": (1, [FINE, (ERROR.format("mine"), 1), (ERROR.format("later"), 1)]),
    "not-one-that-lost-its-peer": (1, [(LOST, 1), (ERROR.format("mine"), 1)]),
    "not-one-that-waited": (1, [(WAITED, 1), (ERROR.format("mine"), 1)]),
    "one-that-was-stopped-after-its-error": (1, [(LOST, 1), (ERROR.format("x"), STOPPED)]),
    "not-one-that-was-only-stopped": (0, [(LOST, 1), ("step 3", STOPPED)]),
    "the-first-where-all-lost-their-peer": (0, [(LOST, 1), (LOST, 1)]),
    "the-first-that-still-ran": (1, [FINE, ("step 3", STOPPED), ("step 3", STOPPED)]),
    "the-first-where-nothing-failed": (0, [FINE, FINE]),
}


FAILED = {name: row for name, row in RANKS.items() if any(code for _, code in row[1])}


@pytest.mark.parametrize(("number", "ranks"), FAILED.values(), ids=FAILED)
def test_servers_without_ascendify_say_the_same(
    tmp_path: Path, number: int, ranks: list[tuple[str, int | None]]
) -> None:
    plan = {
        "folder": str(tmp_path),
        "ranks": [{"rank": rank} for rank in range(len(ranks))],
        "consequences": consequences(),
    }
    for rank, (printed, code) in enumerate(ranks):
        (tmp_path / f"rank-{rank}.log").write_text(printed + "\n")
        exited = {"code": -9 if code is STOPPED else code, "stopped": code is STOPPED}
        (tmp_path / f"rank-{rank}.ended").write_text(json.dumps({**exited, "ended": rank}))
    found, _how = nodes.first_failed(plan, nodes.exits(plan))
    assert found["rank"] == number


@pytest.mark.parametrize(("number", "ranks"), RANKS.values(), ids=RANKS)
def test_who(tmp_path: Path, number: int, ranks: list[tuple[str, int | None]]) -> None:
    assert verdict(tmp_path, *ranks).rank == number


def test_how_it_failed(tmp_path: Path) -> None:
    found = verdict(tmp_path, FINE, (ERROR.format("mine"), 3))
    assert (found.how, found.seconds, found.last_lines[-1]) == (
        "exit code 3",
        1.0,
        "ValueError: mine",
    )
    assert verdict(tmp_path, (LOST, 1), (ERROR.format("x"), STOPPED)).how.startswith("stopped")


def test_the_memory_is_suspected_only_where_others_have_killed_it(tmp_path: Path) -> None:
    assert "out of memory" in verdict(tmp_path, ("step 1", -signal.SIGKILL)).advice
    assert verdict(tmp_path, ("step 1", STOPPED)).advice == ""


def test_error_codes_are_those_of_real_devices(tmp_path: Path) -> None:
    missing = ("ModuleNotFoundError: No module named 'torch_npu'", 1)
    assert "stand-ins were not found" in verdict(tmp_path, missing).advice
    assert "ascendify explain" in verdict(tmp_path, missing, on_npus=True).advice
    double = "TypeError: Value passed to parameter 'x' has DataType float64 not in list of allowed"
    refused = (f"{double} values: float16, float32", 1)
    assert "make the data float32" in verdict(tmp_path, refused).advice
