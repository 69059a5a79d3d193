"""The generated options module of a migrated project, with the functions that its files import."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from ascendify.migrate import added_modules, options_module
from ascendify.reports.model import FileResult
from ascendify.source.project import imported_names

_FUNCTIONS = (
    "session_config", "run_config_options", "loss_scale_optimizer", "set_global_options",
)  # fmt: skip


def options_files(
    options: Mapping[str, object] | None,
    files: Iterable[FileResult],
    entry_points: Iterable[str],
    imported_by: Mapping[str, Iterable[str]] | None = None,
) -> list[FileResult]:
    """The options modules to add; none when switched off (None) or when nothing uses them."""
    entries = list(files)
    users = {entry.path: names for entry in entries if (names := _used(entry))}
    if options is None or not users:
        return []
    used = {name for names in users.values() for name in names}
    wanted = {name: name in used for name in _FUNCTIONS}
    wanted["tensorflow2"] = any("npu_device" in (entry.after or "") for entry in entries)
    text = options_module.render(options, **wanted)
    return added_modules.added(
        options_module.FILE_NAME, text, users, entries, entry_points, imported_by or {}
    )


def _used(entry: FileResult) -> set[str]:
    """The functions of the options module that a migrated file imports."""
    text = entry.after or ""
    if f"from {options_module.MODULE_NAME} import" not in text:
        return set()
    if entry.path.endswith(".ipynb"):
        # its cells are JSON strings, so every function it names may be in use
        return {name for name in _FUNCTIONS if name in text}
    imported = (name.split(".") for name in imported_names(text))
    return {
        name
        for module, *names in imported
        if module == options_module.MODULE_NAME
        for name in names
    }
