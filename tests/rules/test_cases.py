"""Every table of cases under tests/cases, and the promises that hold for every fix."""

from __future__ import annotations

import ast

import pytest
from harness import CASES, Case, added_imports, brief, comments, load, run, used_names

from ascendify.rules.registry import codes

ALL = [case for path in sorted(CASES.glob("*/*.*")) for case in load(path)]
PYTHON_FIXES = [case for case in ALL if case.after is not None and case.suffix == ".py"]


def _ids(case: Case) -> str:
    return f"{case.code}: {case.title}"


def test_every_rule_has_a_table() -> None:
    assert sorted(codes()) == sorted({case.code for case in ALL})


@pytest.mark.parametrize("case", ALL, ids=_ids)
def test_case(case: Case) -> None:
    outcome = run(case)
    assert outcome.after == (case.before if case.after is None else case.after)
    found = brief(outcome.findings)
    if case.findings is not None:
        assert found == case.findings
    elif case.after is None:
        assert found == []
    else:
        assert found


@pytest.mark.parametrize("case", [case for case in ALL if case.after is not None], ids=_ids)
def test_second_run_edits_nothing(case: Case) -> None:
    assert case.after is not None
    assert run(case, case.after).after == case.after


@pytest.mark.parametrize("case", PYTHON_FIXES, ids=_ids)
def test_fix_keeps_what_it_must(case: Case) -> None:
    after = run(case).after
    ast.parse(after)
    assert comments(case.before) - comments(after) == {}, "a comment was lost"
    assert set(added_imports(case.before, after)) <= used_names(after), "an import is not used"


@pytest.mark.parametrize("case", PYTHON_FIXES, ids=_ids)
def test_fix_keeps_carriage_returns(case: Case) -> None:
    assert case.after is not None
    outcome = run(case, case.before.replace("\n", "\r\n"))
    assert outcome.after == case.after.replace("\n", "\r\n")
