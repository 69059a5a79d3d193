"""Shards: the files of one data set, named ``train-00000-of-01024``."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from ascendify.errors import UsageError

_NUMBERED = re.compile(r"(?P<name>.+)-(?P<number>\d{5,})-of-(?P<count>\d{5,})")


def shard_name(name: str, number: int, count: int) -> str:
    """Return the name of one file of a set, numbers from 0."""
    if not 0 <= number < count:
        raise ValueError(f"shard {number} of {count}")
    return f"{name}-{number:05d}-of-{count:05d}"


def find_shards(folder: Path, name: str) -> list[Path]:
    """Find all files of a set, in order.

    Raises:
        UsageError: there is none, one is missing, or there are sets of different sizes.
    """
    found = [match for path in _files(folder) if (match := _NUMBERED.fullmatch(path.name))]
    shards = [match for match in found if match["name"] == name]
    if not shards:
        raise UsageError(
            f"{folder} has no files {name}-NNNNN-of-NNNNN", _others({m["name"] for m in found})
        )
    counts = sorted({int(match["count"]) for match in shards})
    if len(counts) > 1:
        raise UsageError(
            f"{folder} has files of several sets {name}: of {', '.join(map(str, counts))}",
            "keep one set in a folder",
        )
    wanted = [shard_name(name, number, counts[0]) for number in range(counts[0])]
    missing = sorted(set(wanted) - {match.string for match in shards})
    if missing:
        raise UsageError(
            f"{folder} has {len(wanted) - len(missing)} of {len(wanted)} files {name}:"
            f" {missing[0]} is missing" + (f", and {len(missing) - 1} more" if missing[1:] else ""),
            "copy or make what is missing",
        )
    return [folder / file for file in wanted]


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise UsageError(
            f"{folder} cannot be read: {error.strerror}", "name the folder that holds the files"
        ) from error


def _others(names: Collection[str]) -> str:
    return f"there are: {', '.join(sorted(names))}" if names else "name the folder of the TFRecords"
