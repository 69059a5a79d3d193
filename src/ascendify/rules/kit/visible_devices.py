"""Values of CUDA_VISIBLE_DEVICES: the devices they choose, and whether an NPU accepts the list."""

from __future__ import annotations

import re

_NONE = frozenset({"", "-1", "none", "NoDevFiles"})


def numbers(value: str) -> list[int] | None:
    """The device numbers of a list up to a ``-1``; None when it holds anything else."""
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
    """Whether device numbers ascend, which is the only order an NPU accepts."""
    return all(first < second for first, second in zip(devices, devices[1:]))


def is_one_device(value: str) -> bool:
    """Whether a value names exactly one device."""
    return bool(re.fullmatch(r"\s*\d+\s*", value))


def is_no_device(value: str) -> bool:
    """Whether a value hides every device."""
    return value.strip() in _NONE
