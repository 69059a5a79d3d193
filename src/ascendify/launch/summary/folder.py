"""Find the logs in a folder, and the rank that each belongs to."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ascendify.errors import UsageError
from ascendify.jobs.job import PLAN_FILE

_OURS = re.compile(r"(?:rank|measure)-(\d{1,6})\.(?:log|jsonl)\Z")
_IN_NAME = re.compile(r"(?:rank|train|device|npu|worker)[-_]?(?:id[-_]?)?(\d{1,6})(?!\d)", re.I)
_FOLDER = re.compile(r"(?:(?:rank|device|npu|worker)[-_]?(?:id[-_]?)?)?(\d{1,6})\Z", re.I)
_LAYOUTS = ("train_*.log", "*.log")
"""Patterns of log names where ascendify wrote no logs: those of the guides first, then any."""


def logs(folder: Path) -> dict[int, list[Path]]:
    """The logs by rank; a log whose path has no rank counts as that of rank 0.

    Raises:
        UsageError: there is no such folder, or no log in it.
    """
    if folder.is_file():
        return {rank_of(folder.name): [folder]}
    if not folder.is_dir():
        raise UsageError(f"{folder} does not exist", "name the folder with the logs of a run")
    files = [path for path in folder.iterdir() if _OURS.match(path.name) and path.is_file()]
    for layout in _LAYOUTS:
        files = files or [path for path in folder.rglob(layout) if path.is_file()]
    if not files:
        raise UsageError(
            f"there are no logs in {folder}",
            "logs are rank-<n>.log, measure-<n>.jsonl, or *.log there or in folders below",
        )
    return _by_rank(folder, files)


def rank_of(path: str) -> int:
    """The rank in the path of a log, 0 where there is none."""
    *folders, name = path.split("/")
    found = _IN_NAME.search(name) or _OURS.match(name)
    if found:
        return int(found[1])
    return next((int(m[1]) for m in map(_FOLDER.match, reversed(folders)) if m), 0)


@dataclass(frozen=True)
class LaunchedJob:
    """The command and size of a job, from the plan that ``ascendify launch`` wrote."""

    command: tuple[str, ...] = ()
    ranks: int | None = None


def read_plan(folder: Path) -> LaunchedJob:
    """Read the plan beside the logs; without values where there is none that can be read."""
    file = (folder.parent if folder.is_file() else folder) / PLAN_FILE
    try:
        plan = json.loads(file.read_bytes())
        # a command may start the ranks of a server by itself: every device has one
        size = sum(server["devices"] for server in plan["servers"])
        return LaunchedJob(tuple(map(str, plan["command"])), size)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return LaunchedJob()


def _by_rank(folder: Path, files: Iterable[Path]) -> dict[int, list[Path]]:
    ranks: dict[int, list[Path]] = {}
    for path in sorted(files):
        ranks.setdefault(rank_of(path.relative_to(folder).as_posix()), []).append(path)
    return dict(sorted(ranks.items()))
