"""Examine the environment variables of this shell."""

from __future__ import annotations

from collections.abc import Iterator

from ascendify.cluster import variables
from ascendify.cluster.doctor.machine import Machine
from ascendify.cluster.doctor.observation import Observation, Subject
from ascendify.cluster.problem import ERROR

SUBJECT = Subject("environment variables")
_TABLE = "RANK_TABLE_FILE"


def observe(machine: Machine, hardware: str | None) -> Iterator[Observation]:
    """Report values that are not allowed, broken rules between variables, and missing files."""
    environment = machine.environment
    problems = variables.check(environment, hardware)
    for each in problems:
        kind = SUBJECT.problem if each.severity == ERROR else SUBJECT.warning
        yield kind(str(each), each.advice)
    rank_table = environment.get(_TABLE)
    if rank_table and not machine.exists(_absolute(machine, rank_table)):
        yield SUBJECT.problem(
            f"{_TABLE} is {rank_table}, which does not exist",
            "make one with ascendify ranktable create, or correct the path",
        )
    if not problems:
        known = [spec["name"] for spec in variables.specs() if environment.get(spec["name"])]
        yield SUBJECT.ok(f"{len(known)} set, none wrongly" if known else "none is set")


def _absolute(machine: Machine, path: str) -> str:
    return path if path.startswith("/") else f"{machine.folder}/{path}"
