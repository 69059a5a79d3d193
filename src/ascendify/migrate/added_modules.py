"""Modules that are added to a migrated project, where every entry point can import them."""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

from ascendify.reports.model import FileAction, FileResult

_TEST = re.compile(r"(?:^|/)(?:tests?/|test_[^/]*$|conftest\.py$)|_test\.py$")
"""Files of unit tests, which are started by a test runner from the project's root."""


def added(
    name: str,
    text: str,
    users: Iterable[str],
    entries: Iterable[FileResult],
    entry_points: Iterable[str],
    imported_by: Mapping[str, Iterable[str]],
) -> list[FileResult]:
    """Add a module of this file name for the files that use it; none where one is there already."""
    by_path = {entry.path: entry for entry in entries}
    starts = _starts(set(users), set(entry_points), imported_by)
    return [
        FileResult(path, FileAction.ADDED, after=text)
        for path in sorted(_paths(name, starts, by_path, imported_by))
        if path not in by_path
    ]


def _starts(
    users: set[str], entry_points: set[str], imported_by: Mapping[str, Iterable[str]]
) -> set[str]:
    """The files that are run and come to a user of the module: entry points, and loose files.

    A program may use nothing of a framework itself: ``run.py`` trains an agent of ``brain.py``.
    """
    reached, pending = set(users), list(users)
    while pending:
        new = set(imported_by.get(pending.pop(), ())) - reached
        reached |= new
        pending.extend(new)
    loose = {
        path
        for path in reached
        if not imported_by.get(path) and (path in users or not _TEST.search(path))
    }
    return (reached & entry_points) | loose or entry_points


def _paths(
    name: str,
    starts: Iterable[str],
    entries: Mapping[str, FileResult],
    imported_by: Mapping[str, Iterable[str]],
) -> set[str]:
    """A script's own folder is the first place Python imports from.

    A module of a package is run as ``python -m package.module`` too, from the folder that holds
    the package; one with relative imports only so. A script that imports files from elsewhere is
    run with the folder that holds both on the search path.
    """
    folders: set[str] = set()
    starts = list(starts)
    folders.update(_folders_above(starts, imported_by))
    for path in starts:
        folder = path.rpartition("/")[0]
        above = _above_package(folder, entries)
        if above is not None:
            folders.add(above)
        if above is None or not _is_module_only(path, entries):
            folders.add(folder)
    return {f"{folder}/{name}".lstrip("/") for folder in folders or {""}}


def _folders_above(
    starts: Iterable[str], imported_by: Mapping[str, Iterable[str]]
) -> Iterator[str]:
    """Folders that hold a script's folder, and files outside of it that the script imports."""
    wanted = set(starts)
    for target, importers in imported_by.items():
        for path in wanted.intersection(importers):
            own, other = posixpath.dirname(path), posixpath.dirname(target)
            shared = posixpath.commonpath([own, other])
            if shared != own:
                yield shared


def _above_package(folder: str, entries: Mapping[str, FileResult]) -> str | None:
    """The folder that holds the package a folder belongs to; None if there is none in the tree."""
    if f"{folder}/__init__.py" not in entries:
        return None
    while folder and f"{folder}/__init__.py" in entries:
        folder = folder.rpartition("/")[0]
    return None if not folder and "__init__.py" in entries else folder


def _is_module_only(path: str, entries: Mapping[str, FileResult]) -> bool:
    """Whether a file cannot be run by its path, as far as its text is known."""
    text = entries[path].after if path in entries and path.endswith(".py") else None
    return any(
        isinstance(node, ast.ImportFrom) and node.level
        for node in (ast.parse(text).body if text else ())
    )
