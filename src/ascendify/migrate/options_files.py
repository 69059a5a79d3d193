"""Where the generated options module goes: beside every entry point that can reach a user of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from ascendify.migrate import options_module
from ascendify.reports.model import FileAction, FileEntry

_FUNCTIONS = ("session_config", "run_config_options", "loss_scale_optimizer")


def options_files(
    options: Mapping[str, object],
    files: Iterable[FileEntry],
    entry_points: Iterable[str],
    imported_by: Mapping[str, Iterable[str]] | None = None,
) -> list[FileEntry]:
    """The options modules to add; none when no options were asked for or nothing uses them."""
    entries = list(files)
    users = {entry.path: names for entry in entries if (names := _used(entry))}
    if not options or not users:
        return []
    used = {name for names in users.values() for name in names}
    text = options_module.render(options, **{name: name in used for name in _FUNCTIONS})
    existing = {entry.path for entry in entries}
    starts = _starts(set(users), set(entry_points), imported_by or {})
    return [
        FileEntry(path, FileAction.ADDED, after=text)
        for path in sorted(_paths(starts))
        if path not in existing
    ]


def _starts(
    users: set[str], entry_points: set[str], imported_by: Mapping[str, Iterable[str]]
) -> set[str]:
    """The files that are run and come to a user of the module: entry points, and loose files."""
    reached, pending = set(users), list(users)
    while pending:
        new = set(imported_by.get(pending.pop(), ())) - reached
        reached |= new
        pending.extend(new)
    loose = {path for path in users if not imported_by.get(path)}
    return (reached & entry_points) | loose or entry_points


def _paths(starts: Iterable[str]) -> set[str]:
    """A script's own folder is the first place Python imports from."""
    folders = {path.rpartition("/")[0] for path in starts} or {""}
    return {f"{folder}/{options_module.FILE_NAME}".lstrip("/") for folder in folders}


def _used(entry: FileEntry) -> set[str]:
    """The functions of the options module that a migrated file imports."""
    text = entry.after or ""
    if f"from {options_module.MODULE_NAME} import" not in text:
        return set()
    if entry.path.endswith(".ipynb"):
        # its cells are JSON strings, so every function it names may be in use
        return {name for name in _FUNCTIONS if name in text}
    return {
        alias.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom) and node.module == options_module.MODULE_NAME
        for alias in node.names
    }
