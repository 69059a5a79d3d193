"""Releases of PyTorch: which have a torch_npu, which one a project pins, what came later."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ascendify.rules.shell import _requirements
from ascendify.rules.site import File

_FIRST = (2, 0)
_BEFORE = frozenset([(1, 5), (1, 8), (1, 11)])
"""Releases torch_npu was made for; from 2.0 on for every one. Source: its release branches."""
ADVISED = "2.1"
"""The oldest release to move to from one that has no torch_npu."""
_NAMES = ("torch", "pytorch")


def has(file: File, release: str) -> bool:
    """Whether the project runs with this release or a newer one; where it pins none it does."""
    pinned = file.facts.torch
    return not pinned or _numbers(pinned) >= _numbers(release)


def exists(release: str) -> bool:
    """Whether there is a torch_npu for a release."""
    numbers = _numbers(release)
    return numbers >= _FIRST or numbers in _BEFORE


def pinned(texts: Iterable[tuple[str, str]]) -> str:
    """The lowest release that files of packages pin, given as kind and text; empty where none.

    A release without a torch_npu has to be left, so it counts as the one to move to.
    """
    found = {
        item.pinned if exists(item.pinned) else ADVISED
        for kind, text in texts
        for item in _requirements.of_file(kind, text)
        if item.name.lower() in _NAMES and item.pinned and item.pinned[:1].isdigit()
    }
    return min(found, key=_numbers, default="")


def _numbers(release: str) -> tuple[int, int]:
    """The first two numbers of a release."""
    found = re.match(r"(\d+)(?:\.(\d+))?", release)
    return (int(found[1]), int(found[2] or 0)) if found else (0, 0)
