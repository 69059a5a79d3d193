"""Choose the entry point of a project that trains."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ascendify.errors import UsageError

_TRAINING = re.compile(r"train", re.I)
_MAIN = re.compile(r"main|run", re.I)
_OTHER = re.compile(r"eval|test|infer|predict|export|convert|prepare|download|demo|generat", re.I)


def choose(entry_points: Iterable[str]) -> str:
    """Return the entry point that trains, by its name; of equals, the one nearest to the root.

    Raises:
        UsageError: there is none, or several that are as likely.
    """
    found = sorted(entry_points, key=lambda path: (_order(path), path))
    if not found:
        raise UsageError(
            "no script that could be started was found in the project",
            "name the training script with --entry",
        )
    equals = [path for path in found if _order(path) == _order(found[0])]
    if len(equals) > 1:
        raise UsageError(
            f"several scripts could be the training: {', '.join(equals)}",
            "name one with --entry",
        )
    return found[0]


def _order(path: str) -> tuple[int, int]:
    *folders, name = path.split("/")
    if _OTHER.search(name) or any(_OTHER.fullmatch(folder.rstrip("s")) for folder in folders):
        kind = 3
    elif _TRAINING.search(name):
        kind = 0
    else:
        kind = 1 if _MAIN.search(name) else 2
    return kind, len(folders)
