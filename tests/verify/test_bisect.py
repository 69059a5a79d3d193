"""The search for the edits that make the difference; trainings here are functions of a file.

A training here looks for words in the only file: ``bad`` makes the numbers differ, ``crash`` and a
``use`` without its ``def`` make it fail.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ascendify.verify.bisect import Origin, Problem, Severity, Versions, bisect, minimal
from ascendify.verify.changes import Change, Version

NUMBERS = Problem(Severity.NUMBERS)
FAILS = Problem(Severity.FAILS, frozenset({"TypeError"}))
OTHER = Problem(Severity.FAILS, frozenset({"NameError"}))
REFUSED = Problem(Severity.REFUSED, frozenset({"float64"}))


@dataclass
class Training:
    """Trains versions of a project with one file, and counts."""

    causes: dict[str, Problem]
    """Words that must all be in the file, separated by blanks, and what they cause."""
    trained: list[str] = field(default_factory=list)

    def __call__(self, version: Version, text: str) -> Problem | None:
        self.trained.append(text)
        words = version["train.py"].decode().split()
        if "use" in words and "def" not in words:
            return OTHER
        found = [p for cause, p in self.causes.items() if set(cause.split()) <= set(words)]
        return max(found, key=lambda problem: problem.kind, default=None)


def versions(original: str, written: str, migrated: str) -> Versions:
    return Versions(*({"train.py": "\n".join(text.split(" ")).encode()} for text in
                      (original, written, migrated)))  # fmt: skip


def rules_of(change: Change) -> tuple[str, ...]:
    """Each edit has a rule that is called after its first letter; imports have none."""
    word = (change.before or change.after)[0].strip()
    return () if word == "import" else (f"TORCH-{word[:1].upper()}-1",)


def words(changes: tuple[Change, ...]) -> list[str]:
    return [line.strip() for change in changes for line in change.before or change.after]


_ORIGINAL = "a0 b0 c0 d0 e0 f0 g0 h0"
_WRITTEN = "a1 b1 c1 d1 e1 f1 g1 h1"


@pytest.mark.parametrize(
    ("migrated", "causes", "problem", "expected"),
    [
        pytest.param(
            "a1 b1 bad d1 e1 f1 g1 h1", {"bad": NUMBERS}, NUMBERS, [["c1"]], id="altered"
        ),
        pytest.param(
            "a1 b0 c1 d1 e1 f1 g1 h1", {"b0": FAILS}, FAILS, [["b1"]], id="undone, and it fails"
        ),
        pytest.param(
            "a1 b0 bad d1 x y g1 h1", {"bad": REFUSED}, REFUSED, [["c1"]], id="among others"
        ),
        pytest.param(
            "a1 b2 c1 d1 e1 f1 g2 h1", {"b2 g2": NUMBERS}, NUMBERS, [["b1", "g1"]], id="together"
        ),
        pytest.param(
            "a1 b2 c1 d1 e1 f1 g2 h1",
            {"b2": NUMBERS, "g2": NUMBERS},
            NUMBERS,
            [["b1"], ["g1"]],
            id="two, each by itself",
        ),
        pytest.param(
            "a1 use c1 d1 e1 f1 def h1", {"use": NUMBERS}, NUMBERS, [["b1", "g1"]], id="with help"
        ),
    ],
)  # fmt: skip
def test_edits_made_after_the_migration(
    migrated: str, causes: dict[str, Problem], problem: Problem, expected: list[list[str]]
) -> None:
    training = Training(causes)
    found = bisect(problem, versions(_ORIGINAL, _WRITTEN, migrated), rules_of, training)
    assert (found.origin, found.complete) == (Origin.LATER, True)
    assert [words(cause) for cause in found.causes] == expected
    assert found.trials == len(training.trained)


@pytest.mark.parametrize(
    ("causes", "expected"),
    [
        pytest.param({"d1": NUMBERS}, ["d1"], id="one"),
        pytest.param({"d1": NUMBERS, "a0": OTHER, "b0": OTHER}, ["d1"], id="others are needed"),
        pytest.param({"d1": NUMBERS, "e1": NUMBERS}, ["d1", "e1"], id="two that both do it"),
    ],
)
def test_edits_of_the_migration(causes: dict[str, Problem], expected: list[str]) -> None:
    training = Training(causes)
    found = bisect(NUMBERS, versions(_ORIGINAL, _WRITTEN, _WRITTEN), rules_of, training)
    assert (found.origin, found.complete) == (Origin.MIGRATION, True)
    assert [words(cause) for cause in found.causes] == [expected]


def test_harmless_later_edits_do_not_hide_the_migrations_own() -> None:
    migrated = _WRITTEN.replace("h1", "h2")
    found = bisect(
        NUMBERS, versions(_ORIGINAL, _WRITTEN, migrated), rules_of, Training({"d1": NUMBERS})
    )
    assert (found.origin, words(found.causes[0])) == (Origin.MIGRATION, ["d1"])


@pytest.mark.parametrize(
    ("causes", "migrated", "why"),
    [
        pytest.param({"": NUMBERS}, _WRITTEN, "the same problem or does not run", id="none"),
        pytest.param({"d1": OTHER}, "x y", "another problem", id="what was written fails"),
    ],
)
def test_nothing_is_blamed_without_a_proof(
    causes: dict[str, Problem], migrated: str, why: str
) -> None:
    found = bisect(NUMBERS, versions(_ORIGINAL, _WRITTEN, migrated), rules_of, Training(causes))
    assert (found.origin, found.causes) == (Origin.UNKNOWN, ())
    assert why in found.why


def test_the_search_ends_after_so_many_trainings() -> None:
    training = Training({"bad": NUMBERS, "worse": NUMBERS})
    written = " ".join(f"a{number}" for number in range(42))
    migrated = " ".join(["bad", *(f"x{number}" for number in range(40)), "worse"])
    found = bisect(NUMBERS, versions(written, written, migrated), rules_of, training, most=3)
    assert (len(training.trained), found.complete) == (3, False)


@pytest.mark.parametrize(
    ("one", "other", "gone"),
    [
        pytest.param(NUMBERS, None, True, id="nothing is left"),
        pytest.param(NUMBERS, REFUSED, True, id="numbers agree now"),
        pytest.param(NUMBERS, FAILS, False, id="it does not even run"),
        pytest.param(FAILS, NUMBERS, True, id="it runs now"),
        pytest.param(FAILS, OTHER, False, id="it fails in another way"),
        pytest.param(
            REFUSED, Problem(Severity.REFUSED, frozenset({"strings"})), True, id="another"
        ),
        pytest.param(
            REFUSED,
            Problem(Severity.REFUSED, frozenset({"strings", "float64"})),
            False,
            id="one more",
        ),
    ],
)
def test_when_a_problem_is_gone(one: Problem, other: Problem | None, gone: bool) -> None:
    assert one.is_gone(other) is gone


@given(st.sets(st.integers(0, 30), min_size=1), st.integers(0, 30))
def test_a_minimal_set_has_all_that_is_needed_and_nothing_else(needed: set[int], more: int) -> None:
    changes = [Change("f", number, (), ("x",)) for number in sorted({*needed, more, *range(12)})]

    def holds(some: object) -> bool:
        assert isinstance(some, list)
        return needed <= {change.start for change in some}

    found, complete = minimal(changes, holds)
    assert ({change.start for change in found}, complete) == (needed, True)
