"""Where the generated options module goes: beside every entry point that can reach a user of it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from ascendify.migrate import options_module
from ascendify.reports.model import FileAction, FileEntry

_FUNCTIONS = ("session_config", "run_config_options", "loss_scale_optimizer")


def options_files(
    options: Mapping[str, object], files: Iterable[FileEntry], entry_points: Iterable[str]
) -> list[FileEntry]:
    """The options modules to add; none when no options were asked for or nothing uses them."""
    entries = list(files)
    used = _used(entry.after for entry in entries if entry.after is not None)
    if not options or not used:
        return []
    text = options_module.render(options, **{name: name in used for name in _FUNCTIONS})
    existing = {entry.path for entry in entries}
    return [
        FileEntry(path, FileAction.ADDED, after=text)
        for path in sorted(_paths(entry_points))
        if path not in existing
    ]


def _paths(entry_points: Iterable[str]) -> set[str]:
    """A script's own folder is the first place Python imports from."""
    folders = {path.rpartition("/")[0] for path in entry_points} or {""}
    return {f"{folder}/{options_module.FILE_NAME}".lstrip("/") for folder in folders}


def _used(texts: Iterable[str]) -> set[str]:
    """The functions of the options module that the migrated files import."""
    return {
        alias.name
        for text in texts
        if f"from {options_module.MODULE_NAME} import" in text
        for node in ast.walk(_parsed(text))
        if isinstance(node, ast.ImportFrom) and node.module == options_module.MODULE_NAME
        for alias in node.names
    }


def _parsed(text: str) -> ast.AST:
    try:
        return ast.parse(text)
    except SyntaxError:
        # a notebook: its cells are JSON strings, so every function may be in use
        imports = ", ".join(name for name in _FUNCTIONS if name in text)
        return ast.parse(f"from {options_module.MODULE_NAME} import {imports}" if imports else "")
