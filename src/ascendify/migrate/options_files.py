"""Where the generated options module goes: where every entry point that needs it can import it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from ascendify.migrate import options_module
from ascendify.reports.model import FileAction, FileResult

_FUNCTIONS = (
    "session_config", "run_config_options", "loss_scale_optimizer", "set_global_options",
)  # fmt: skip


def options_files(
    options: Mapping[str, object] | None,
    files: Iterable[FileResult],
    entry_points: Iterable[str],
    imported_by: Mapping[str, Iterable[str]] | None = None,
) -> list[FileResult]:
    """The options modules to add; none when none is wanted (None) or nothing uses them."""
    entries = list(files)
    users = {entry.path: names for entry in entries if (names := _used(entry))}
    if options is None or not users:
        return []
    used = {name for names in users.values() for name in names}
    wanted = {name: name in used for name in _FUNCTIONS}
    wanted["tensorflow2"] = any("npu_device" in (entry.after or "") for entry in entries)
    text = options_module.render(options, **wanted)
    existing = {entry.path for entry in entries}
    starts = _starts(set(users), set(entry_points), imported_by or {})
    return [
        FileResult(path, FileAction.ADDED, after=text)
        for path in sorted(_paths(starts, {entry.path: entry for entry in entries}))
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


def _paths(starts: Iterable[str], entries: Mapping[str, FileResult]) -> set[str]:
    """A script's own folder is the first place Python imports from.

    A module of a package is run as ``python -m package.module`` too, from the folder that holds
    the package; one with relative imports only so.
    """
    folders: set[str] = set()
    for path in starts:
        folder = path.rpartition("/")[0]
        above = _above_package(folder, entries)
        if above is not None:
            folders.add(above)
        if above is None or not _is_module_only(path, entries):
            folders.add(folder)
    return {f"{folder}/{options_module.FILE_NAME}".lstrip("/") for folder in folders or {""}}


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


def _used(entry: FileResult) -> set[str]:
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
