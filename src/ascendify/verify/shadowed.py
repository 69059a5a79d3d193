"""Files of the migrated project that did not run, because others were imported in their place.

Where the original is installed, or is on PYTHONPATH, the migrated program imports the modules of
the original: both sides then run the same code, and agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from ascendify.verify.captured import Capture
from ascendify.verify.project_files import files_of_both

_NAMED = 3
"""How many files are named; others are only counted."""


def find_shadowed(original: Path, migrated: Path, captures: Sequence[Capture]) -> list[str]:
    """Report changed files that did not run, because the comparison proves nothing about them."""
    loaded = {module for capture in captures for module in capture.elsewhere}
    names = {path.name for _, path in loaded}
    found: dict[PurePosixPath, Path] = {}
    for relative in _find_changed(original, migrated, names):
        for name, path in sorted(loaded):
            if path.name == relative.name and _stands_for(name, path, relative, original):
                found.setdefault(relative, path)
    reasons = [
        f"the migrated project ran {path} instead of its own {relative}, so the comparison proves "
        "nothing: uninstall the original package, or name only folders of the project in "
        "PYTHONPATH, as in PYTHONPATH=."
        for relative, path in list(found.items())[:_NAMED]
    ]
    if len(found) > _NAMED:
        reasons.append(f"{len(found) - _NAMED} more files of the migrated project did not run")
    return reasons


def _find_changed(original: Path, migrated: Path, names: set[str]) -> Iterator[PurePosixPath]:
    """Return files with these names that the migration changed, relative to the project."""
    for path, other in files_of_both(original, migrated, names.__contains__):
        if other.read_bytes() != path.read_bytes():
            yield PurePosixPath(path.relative_to(original).as_posix())


def _stands_for(name: str, path: Path, relative: PurePosixPath, original: Path) -> bool:
    """Whether a module was imported in place of a file: by its whole name, or being the original.

    A name of one part tells nothing: many projects have a module called utils.
    """
    dotted = name.replace(".", "/")
    module = relative.parent if relative.name == "__init__.py" else relative.with_suffix("")
    if "/" in dotted and f"/{module}".endswith(f"/{dotted}"):
        return True
    return path.is_file() and path.read_bytes() == (original / relative).read_bytes()
