"""Rules that do nothing unless somebody requests it are not even asked then."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ascendify.rules.registry import chosen, entries, needed
from ascendify.rules.site import Facts
from support.rule_cases import CASES, Case, load, run

REQUESTED = {code: entry.rule for code, entry in entries().items() if entry.rule.requested}
CASES_OF_REQUESTED = [
    case for code in REQUESTED for path in sorted(CASES.glob(f"{code}/*.*")) for case in load(path)
]


def test_a_rule_that_nobody_requests_is_left_out() -> None:
    facts = Facts(frameworks=frozenset({"torch"}))
    codes = chosen(("TORCH",))
    assert codes - needed(codes, facts) == REQUESTED.keys()
    adds = needed(codes, replace(facts, add_distribution=True))
    assert "TORCH-DIST-11" in adds


@pytest.mark.parametrize("case", CASES_OF_REQUESTED, ids=lambda case: f"{case.code}: {case.title}")
def test_it_would_find_nothing(case: Case) -> None:
    facts = replace(case.facts, add_distribution=False, style="explicit", transfer=frozenset())
    requested = REQUESTED[case.code].requested
    assert requested is not None
    assert not requested(facts)
    assert run(replace(case, facts=facts)).findings == []
