"""Compare versions, and check them against requirements as pip does."""

from __future__ import annotations

import re

_CONDITION = re.compile(r"\s*(===?|~=|>=|<=|!=|>|<|=)\s*([\w.*+!-]+)\s*")
_OPEN = (">=", ">", "!=")
_MAJOR_AND_MINOR = 2
"""``~=2.6`` allows 2.7 and later, ``~=2.6.0`` does not."""
_PARTS = 6
"""Numbers of a version that are compared; missing ones count as 0."""
_STAGE = re.compile(r"[\d.]*\d[._-]?(dev|a|b|rc|post)[._-]?(\d+)", re.I)
_STAGES = ("dev", "a", "b", "rc", "", "post")
"""Suffixes of a version, oldest first; without one it is the final release."""
_FINAL = (_STAGES.index(""), 0)


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version up to its first word: ``2.7.1.post2+cpu`` gives ``(2, 7, 1)``."""
    found = re.match(r"\d+(?:\.\d+)*", version.strip())
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def line(version: str) -> str:
    """The first two numbers of a version: ``2.7`` for ``2.7.1.post2``."""
    return ".".join(str(part) for part in (*numbers(version), 0, 0)[:2])


def order(version: str) -> tuple[tuple[int, ...], tuple[int, int]]:
    """What to compare versions by: their numbers, then ``rc1``, nothing, ``post1``, ``post2``.

    >>> order("2.7.1rc1") < order("2.7.1") < order("2.7.1.post2") < order("2.7.1.post10")
    True
    """
    return _padded(numbers(version)), _stage(version)


def satisfies(specifier: str, version: str) -> bool:
    """Whether a version meets every condition of a specifier; an empty one has none.

    >>> satisfies(">=2.1,<2.3", "2.1.0"), satisfies("~=2.1.2", "2.2.0"), satisfies("==2.4.*", "2.4")
    (True, False, True)
    """
    return all(
        _meets(sign, wanted, version)
        for sign, wanted in (match.groups() for match in _CONDITION.finditer(specifier))
    )


def is_bounded(specifier: str) -> bool:
    """Whether a specifier excludes newer releases of the same major version."""
    return any(
        len(numbers(match[2])) > _MAJOR_AND_MINOR if match[1] == "~=" else match[1] not in _OPEN
        for match in _CONDITION.finditer(specifier)
    )


def edge(specifier: str) -> str:
    """The version that conditions begin at, else the one they end at; empty without either."""
    found = [match.groups() for match in _CONDITION.finditer(specifier) if match[1] != "!="]
    first = [wanted for sign, wanted in found if not sign.startswith("<")]
    return next(iter([*first, *(wanted for _, wanted in found)]), "")


def _meets(sign: str, wanted: str, version: str) -> bool:
    """Whether a version meets one condition; builds such as ``+cu118`` do not count."""
    wanted = wanted.partition("+")[0]
    # conda's single sign means everything that begins so
    same = (
        _begins(numbers(wanted), version)
        if sign == "=" or "*" in wanted
        else order(version) == order(wanted)
    )
    if sign in ("==", "===", "="):
        return same
    if sign == "!=":
        return not same
    if sign == "~=":
        return order(version) >= order(wanted) and _begins(numbers(wanted)[:-1], version)
    if sign in (">", "<") and _stage(wanted) == _FINAL and _has_numbers(wanted, version):
        return False  # no .post1 of what > names, no rc1 of what < names
    if sign in (">=", ">"):
        return order(version) > order(wanted) or (sign == ">=" and same)
    return order(version) < order(wanted) or (sign == "<=" and same)


def _has_numbers(wanted: str, version: str) -> bool:
    return _padded(numbers(wanted)) == _padded(numbers(version))


def _stage(version: str) -> tuple[int, int]:
    found = _STAGE.match(version.strip())
    return (_STAGES.index(found[1].lower()), int(found[2])) if found else _FINAL


def _begins(start: tuple[int, ...], version: str) -> bool:
    return _padded(numbers(version))[: len(start)] == start


def _padded(parts: tuple[int, ...]) -> tuple[int, ...]:
    return (*parts, *(0,) * (_PARTS - len(parts)))
