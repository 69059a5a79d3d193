"""Helper modules: what rewritten calls need at run time, written into the migrated project.

Each is a template beside this file, and like the options module it outlives ascendify: it imports
nothing of ours. A migrated file uses one by ``import <name>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from ascendify.migrate import added_modules
from ascendify.reports.model import FileResult
from ascendify.rules.helpers import HELPERS


def helper_files(
    files: Iterable[FileResult],
    entry_points: Iterable[str],
    imported_by: Mapping[str, Iterable[str]] | None = None,
) -> list[FileResult]:
    """The helper modules that migrated files import and the project does not have yet."""
    entries = list(files)
    found: list[FileResult] = []
    for name in HELPERS:
        users = [entry.path for entry in entries if _imports(entry.after or "", name)]
        if users:
            found += added_modules.added(
                f"{name}.py", text(name), users, entries, entry_points, imported_by or {}
            )
    return found


@cache
def text(name: str) -> str:
    """The text of a helper module."""
    template = Path(__file__).parent / "templates" / f"{name}.py.txt"
    return template.read_text(encoding="utf-8")


def _imports(source: str, name: str) -> bool:
    return name in source and re.search(rf"(?m)^[\s\"]*import {name}\b", source) is not None
