"""Files of the migrated project that did not run, because others were imported in their place.

Where the original is installed, or is on PYTHONPATH, the migrated program imports the modules of
the original: both sides then run the same code, and agree.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from ascendify.verify.captured import Capture

_LEFT_OUT = frozenset({"__pycache__", "node_modules", "site-packages"})
_TOLD = 3


def shadowed(original: Path, migrated: Path, captures: Sequence[Capture]) -> list[str]:
    """Why the comparison proves nothing about some of the files that the migration changed."""
    loaded = {module for capture in captures for module in capture.elsewhere}
    names = {path.name for _, path in loaded}
    found: dict[PurePosixPath, Path] = {}
    for relative in _changed(original, migrated, names):
        for name, path in sorted(loaded):
            if path.name == relative.name and _stands_for(name, path, relative, original):
                found.setdefault(relative, path)
    reasons = [
        f"the migrated project ran {path} instead of its own {relative}, so the comparison proves "
        "nothing: uninstall the original package, or name only folders of the project in "
        "PYTHONPATH, as in PYTHONPATH=."
        for relative, path in list(found.items())[:_TOLD]
    ]
    if len(found) > _TOLD:
        reasons.append(f"{len(found) - _TOLD} more files of the migrated project did not run")
    return reasons


def in_both(
    original: Path, migrated: Path, wanted: Callable[[str], bool]
) -> Iterator[tuple[Path, Path]]:
    """Files with a wanted name that both projects have, each with the other one.

    Only these are looked at: a project may have its data beside its code.
    """
    for folder, folders, files in os.walk(original):
        folders[:] = sorted(one for one in folders if one[0] != "." and one not in _LEFT_OUT)
        for path in (Path(folder, file) for file in sorted(filter(wanted, files))):
            other = migrated / path.relative_to(original)
            if path.is_file() and other.is_file():
                yield path, other


def _changed(original: Path, migrated: Path, names: set[str]) -> Iterator[PurePosixPath]:
    """Files of these names that the migration changed, relative to the project."""
    for path, other in in_both(original, migrated, names.__contains__):
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
