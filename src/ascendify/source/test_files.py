"""Recognise files of unit tests, which check small pieces and train nothing."""

from __future__ import annotations

import re

_FOLDERS = frozenset({"test", "tests", "testing", "unittests", "unit_tests"})
_LIBRARY = re.compile(
    r"^\s*(?:import|from)\s+(?:unittest|pytest|nose|absl\.testing|twisted\.trial)\b"
    r"|\b(?:tf|tensorflow)\.(?:compat\.v[12]\.)?test\.|\babsltest\b",
    re.M,
)
_CASE = re.compile(r"^\s*class\s+\w+\([^)]*Test(?:Case)?\b", re.M)
_TEST = re.compile(r"^\s*(?:async\s+)?def\s+test\w*\s*\(", re.M)


def is_test_file(path: str, text: str) -> bool:
    """Whether a file holds unit tests: by its place or name, and by the tests in it.

    A training script that is called ``test.py``, or stands in a folder ``test``, is none.
    """
    *folders, name = path.split("/")
    stem = name.rpartition(".")[0] or name
    if stem == "conftest":
        return True
    named = stem.startswith("test_") or stem.endswith(("_test", "_tests"))
    placed = not _FOLDERS.isdisjoint(folder.lower() for folder in folders)
    if not (named or placed):
        return False
    tests = _TEST.search(text) is not None
    if _LIBRARY.search(text) is not None:
        return tests or _CASE.search(text) is not None
    return named and placed and tests
