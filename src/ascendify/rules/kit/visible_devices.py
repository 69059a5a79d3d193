"""Values of CUDA_VISIBLE_DEVICES: which devices they choose, and whether an NPU takes the list."""

from __future__ import annotations

import re

_NONE = frozenset({"", "-1", "none", "NoDevFiles"})


def numbers(value: str) -> list[int] | None:
    """The device numbers of a list, None when something else stands in it; ``-1`` ends it."""
    found: list[int] = []
    for item in value.split(",") if value.strip() else ():
        if not re.fullmatch(r"\s*-?\d+\s*", item):
            return None
        number = int(item)
        if number < 0:
            break
        found.append(number)
    return found


def ascends(devices: list[int]) -> bool:
    """Whether an NPU accepts the order of devices."""
    return all(first < second for first, second in zip(devices, devices[1:]))


def is_one_device(value: str) -> bool:
    """Whether a value names exactly one device."""
    return bool(re.fullmatch(r"\s*\d+\s*", value))


def is_no_device(value: str) -> bool:
    """Whether a value hides every device."""
    return value.strip() in _NONE
