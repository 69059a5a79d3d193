"""Find the source files of a project, without hidden folders, caches and installed packages."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

_LEFT_OUT = frozenset({"__pycache__", "node_modules", "site-packages", "dist-packages"})


def is_python(name: str) -> bool:
    """Whether this is the name of a Python file."""
    return name.endswith(".py")


def files_of(project: Path, wanted: Callable[[str], bool]) -> Iterator[Path]:
    """Files with a wanted name; others are not opened, a project may have its data beside code."""
    for folder, folders, files in os.walk(project):
        folders[:] = sorted(one for one in folders if one[0] != "." and one not in _LEFT_OUT)
        yield from filter(
            Path.is_file, (Path(folder, name) for name in sorted(files) if wanted(name))
        )


def files_of_both(
    original: Path, migrated: Path, wanted: Callable[[str], bool]
) -> Iterator[tuple[Path, Path]]:
    """Pairs of files with one of these names and the same path in both projects."""
    for path in files_of(original, wanted):
        other = migrated / path.relative_to(original)
        if other.is_file():
            yield path, other
