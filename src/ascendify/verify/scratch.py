"""Copy a project into a folder to run it there, so that the user's files are not changed.

Large files are linked instead of copied, and checked afterwards: files that a program changed
through a link are reported.
"""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

LARGE = 64 << 20
"""Bytes; files of this size and above are linked."""
_LEFT_OUT = frozenset({".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".pytest_cache"})
_ENVIRONMENT = "pyvenv.cfg"
"""Marks a folder as a virtual environment, which works only where it is."""


@dataclass(frozen=True)
class Scratch:
    """The folder to run in, and links in it to the user's files."""

    folder: Path
    linked: dict[Path, tuple[int, int]] = field(default_factory=dict)
    """The user's files that are linked, with size and time of change."""

    def changed(self) -> tuple[Path, ...]:
        """The user's files that were changed through links."""
        return tuple(path for path, state in self.linked.items() if _state(path) != state)


def make(project: Path, folder: Path) -> Scratch:
    """Copy a project into a folder that is made for it."""
    scratch = Scratch(folder)
    _copy(project.resolve(), folder, scratch)
    return scratch


def _copy(source: Path, target: Path, scratch: Scratch) -> None:
    target.mkdir(parents=True)
    for entry in sorted(os.scandir(source), key=lambda entry: entry.name):
        path, copy = Path(entry.path), target / entry.name
        if entry.name in _LEFT_OUT or path == scratch.folder:
            continue
        if entry.is_symlink():
            _copy_link(path, copy)
        elif entry.is_dir():
            if (path / _ENVIRONMENT).is_file():
                copy.symlink_to(path)
            elif path not in scratch.folder.parents:
                _copy(path, copy, scratch)
        elif entry.is_file():
            if entry.stat().st_size >= LARGE:
                copy.symlink_to(path)
                scratch.linked[path] = _state(path)
            else:
                shutil.copy2(path, copy)


def _copy_link(link: Path, copy: Path) -> None:
    """A link that leads on within its folder stays as it is; others are made absolute."""
    target = link.readlink()
    inside = not target.is_absolute() and ".." not in target.parts
    copy.symlink_to(target if inside else (link.parent / target))


def _state(path: Path) -> tuple[int, int]:
    try:
        status = path.stat()
    except FileNotFoundError:
        return -1, -1
    return status.st_size, status.st_mtime_ns
