"""Release numbers and conditions on them, as pip and conda read them."""

from __future__ import annotations

import pytest

from ascendify.catalog import versions


@pytest.mark.parametrize(
    ("version", "numbers", "line"),
    [
        ("2.7.1.post2+cpu", (2, 7, 1), "2.7"),
        ("2.10.0rc1", (2, 10, 0), "2.10"),
        ("2", (2,), "2.0"),
        ("latest", (), "0.0"),
    ],
)
def test_numbers(version: str, numbers: tuple[int, ...], line: str) -> None:
    assert (versions.numbers(version), versions.line(version)) == (numbers, line)


@pytest.mark.parametrize(
    ("specifier", "meets", "does_not"),
    [
        ("", ["2.1.0", "1.0"], []),
        ("==2.1", ["2.1.0"], ["2.1.1"]),
        ("==2.1.0+cu118", ["2.1.0"], ["2.1.2"]),
        ("==2.1.*", ["2.1.0", "2.1.9"], ["2.10.0"]),
        ("===2.1.0", ["2.1.0"], ["2.1.1"]),
        ("=2.1", ["2.1.0", "2.1.2"], ["2.2.0"]),
        ("=2.1.0=py3.10_cuda11.8", ["2.1.0"], ["2.1.1"]),
        ("~=2.1.2", ["2.1.2", "2.1.5"], ["2.1.1", "2.2.0"]),
        ("~=2.6", ["2.6.0", "2.14.0"], ["2.5.1", "3.0"]),
        (">=2.1,<2.3", ["2.1.0", "2.2.2"], ["2.0.1", "2.3.0"]),
        ("> 2.1.0 , <= 2.4.0", ["2.4.0"], ["2.1.0", "2.4.1"]),
        ("!=2.4.*", ["2.5.0"], ["2.4.1"]),
        ("==2.7.1", ["2.7.1"], ["2.7.1.post2"]),
        ("==2.7.1.*", ["2.7.1.post2"], ["2.7.0"]),
        ("<=2.7.1", ["2.7.1", "2.7.1rc1", "2.6.0.post5"], ["2.7.1.post2"]),
        ("<2.7.1.post4", ["2.7.1", "2.7.1.post2"], ["2.7.1.post4", "2.7.1.post11"]),
        ("<2.7.1", ["2.6.0.post5"], ["2.7.1.rc1", "2.7.1.post2"]),
        (">2.7.1", ["2.8.0"], ["2.7.1", "2.7.1.post2"]),
        (">2.7.1.post2", ["2.7.1.post4", "2.8.0"], ["2.7.1", "2.7.1.post2"]),
        (">=2.7.1", ["2.7.1.post2"], ["2.7.1rc1"]),
        ("~=2.7.1.post2", ["2.7.1.post4", "2.7.2"], ["2.7.1", "2.8.0"]),
    ],
)
def test_satisfies(specifier: str, meets: list[str], does_not: list[str]) -> None:
    assert [version for version in meets if not versions.satisfies(specifier, version)] == []
    assert [version for version in does_not if versions.satisfies(specifier, version)] == []


@pytest.mark.parametrize(
    ("specifier", "version"),
    [
        ("", ""),
        ("!=2.4.0", ""),
        ("<=2.5", "2.5"),
        ("<2.3,>=2.2.1", "2.2.1"),
        ("==2.1.*", "2.1.*"),
    ],
)
def test_edge(specifier: str, version: str) -> None:
    assert versions.edge(specifier) == version


@pytest.mark.parametrize(
    ("specifier", "bounded"),
    [
        ("", False),
        (">=2.1", False),
        ("!=2.4.0", False),
        ("~=2.6", False),
        ("~=2.6.0", True),
        ("==2.6.0", True),
        (">=2.1,<3", True),
    ],
)
def test_is_bounded(specifier: str, bounded: bool) -> None:
    assert versions.is_bounded(specifier) is bounded
