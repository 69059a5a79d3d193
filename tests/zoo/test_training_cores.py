"""How many cores a rank has to itself."""

from __future__ import annotations

import os

import pytest

from ascendify.zoo import cores


@pytest.mark.parametrize(
    ("machine", "bound", "ranks", "own"),
    [
        (16, 16, "1", 16),
        (16, 16, "8", 2),
        (16, 2, "8", 2),  # a launcher has bound each rank to its share
        (16, 4, "1", 4),
        (2, 2, "8", 1),
    ],
)
def test_cores_are_shared_out_once(
    monkeypatch: pytest.MonkeyPatch, machine: int, bound: int, ranks: str, own: int
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: machine)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(bound)), raising=False)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", ranks)
    assert cores.own_cores() == own
