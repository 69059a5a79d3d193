"""Comparing release numbers and the conditions people pin packages by, as pip reads them."""

from __future__ import annotations

import re

_CONDITION = re.compile(r"\s*(===?|~=|>=|<=|!=|>|<|=)\s*([\w.*+!-]+)\s*")
_OPEN = (">=", ">", "!=")
_MAJOR_AND_MINOR = 2
"""``~=2.6`` allows 2.7 and later, ``~=2.6.0`` does not."""
_PARTS = 6
"""Numbers of a version that are compared; missing ones count as 0."""


def numbers(version: str) -> tuple[int, ...]:
    """The numbers of a version up to its first word: ``2.7.1.post2+cpu`` gives ``(2, 7, 1)``."""
    found = re.match(r"\d+(?:\.\d+)*", version.strip())
    return tuple(int(part) for part in found[0].split(".")) if found else ()


def line(version: str) -> str:
    """The first two numbers of a version: ``2.7`` for ``2.7.1.post2``."""
    return ".".join(str(part) for part in (*numbers(version), 0, 0)[:2])


def satisfies(specifier: str, version: str) -> bool:
    """Whether a version meets every condition of a specifier; an empty one asks nothing.

    >>> satisfies(">=2.1,<2.3", "2.1.0"), satisfies("~=2.1.2", "2.2.0"), satisfies("==2.4.*", "2.4")
    (True, False, True)
    """
    return all(
        _meets(sign, wanted, version)
        for sign, wanted in (match.groups() for match in _CONDITION.finditer(specifier))
    )


def is_bounded(specifier: str) -> bool:
    """Whether a specifier leaves out newer releases of the same first number."""
    return any(
        len(numbers(match[2])) > _MAJOR_AND_MINOR if match[1] == "~=" else match[1] not in _OPEN
        for match in _CONDITION.finditer(specifier)
    )


def _meets(sign: str, wanted: str, version: str) -> bool:
    """Whether a version meets one condition; builds such as ``+cu118`` do not count."""
    wanted = wanted.partition("+")[0]
    bound, given = numbers(wanted), numbers(version)
    # conda's single sign means everything that begins so
    same = (
        _begins(bound, given) if sign == "=" or "*" in wanted else _padded(bound) == _padded(given)
    )
    if sign in ("==", "===", "="):
        return same
    if sign == "!=":
        return not same
    if sign == "~=":
        return _padded(given) >= _padded(bound) and _begins(bound[:-1], given)
    if sign in (">=", ">"):
        return _padded(given) > _padded(bound) or (sign == ">=" and same)
    return _padded(given) < _padded(bound) or (sign == "<=" and same)


def _begins(start: tuple[int, ...], given: tuple[int, ...]) -> bool:
    return _padded(given)[: len(start)] == start


def _padded(parts: tuple[int, ...]) -> tuple[int, ...]:
    return (*parts, *(0,) * (_PARTS - len(parts)))
