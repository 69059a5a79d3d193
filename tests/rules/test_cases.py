"""Every table of cases under tests/cases, and the promises that hold for every fix."""

from __future__ import annotations

import ast

import pytest

from ascendify.rules.registry import codes
from support.rule_cases import (
    CASES,
    Case,
    added_imports,
    brief,
    comments,
    load,
    outcome_of,
    run,
    used_names,
)

ALL = [case for path in sorted(CASES.glob("*/*.*")) for case in load(path)]


def _ids(case: Case) -> str:
    return f"{case.code}: {case.title}"


def test_every_rule_has_a_table() -> None:
    assert sorted(codes()) == sorted({case.code for case in ALL})


@pytest.mark.parametrize("case", ALL, ids=_ids)
def test_case(case: Case) -> None:
    outcome = outcome_of(case)
    assert outcome.after == (case.before if case.after is None else case.after)
    found = brief(outcome.findings)
    if case.findings is not None:
        assert found == case.findings
    else:
        assert bool(found) == (case.after is not None), found
    if case.after is None:
        return
    assert run(case, case.after).after == case.after, "a second run edits again"
    if case.suffix == ".py":
        _keeps_what_it_must(case, outcome.after)


def _keeps_what_it_must(case: Case, after: str) -> None:
    ast.parse(after)
    assert comments(case.before) - comments(after) == {}, "a comment was lost"
    assert set(added_imports(case.before, after)) <= used_names(after), "an import is not used"
    with_returns = run(case, case.before.replace("\n", "\r\n"))
    assert with_returns.after == after.replace("\n", "\r\n"), "carriage returns were lost"
