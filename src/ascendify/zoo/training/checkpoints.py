"""Checkpoint files: always complete; the newest few and the best are kept.

A folder has ``step-00001000.pt`` and so on, and ``best.pt``, a link to one of them or to one that
was removed since. A file gets its name only when it is completely on the disk, so a process killed
while writing leaves the earlier checkpoints and a hidden file, which the next save removes.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import zipfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Callable, Optional

import torch

from ascendify.errors import UsageError

BEST = "best.pt"
_PART = ".part"
_DAMAGES = (
    *(zipfile.BadZipFile, pickle.UnpicklingError),
    *(OSError, EOFError, RuntimeError, ValueError, LookupError, AttributeError, TypeError),
)
"""Exceptions that zipfile and torch raise for damaged files."""


def save(folder: Path, step: int, state: Mapping[str, Any], keep: int, best: bool = False) -> Path:
    """Write the checkpoint of a step; keep the ``keep`` newest and the best."""
    folder.mkdir(parents=True, exist_ok=True)
    for left_over in folder.glob(f".*{_PART}"):
        left_over.unlink()
    path = folder / f"step-{step:08d}.pt"
    _write_file(path, lambda file: torch.save({**state, "step": step}, file))
    if best:
        _write_file(folder / BEST, lambda file: _copy(path, file), same_as=path)
    for old in _by_step(folder)[: -max(keep, 1)]:
        old.unlink()
    return path


def latest(folder: Path) -> Optional[Path]:
    """Return the checkpoint of the highest step; None if there is none."""
    found = _by_step(folder)
    return found[-1] if found else None


def best(folder: Path) -> Optional[Path]:
    """Return the best checkpoint so far; None if there is none."""
    path = folder / BEST
    return path if path.exists() else None


def load(path: Path, parts: Iterable[str] = ()) -> dict[str, Any]:
    """Read a checkpoint that must have ``parts``, to the CPU, without running code from it."""
    if not path.is_file():
        raise UsageError(
            f"{path}: no such checkpoint", f"in its folder are {list_names(path.parent)}"
        )
    try:
        if not zipfile.is_zipfile(path):
            raise _unreadable(path, "is not a checkpoint, or is cut short")
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()  # torch does not check the checksums it writes
        if damaged:
            raise _unreadable(path, f"is damaged: the checksum of {damaged} does not match")
        state = torch.load(path, map_location="cpu", weights_only=True)
    except _DAMAGES as error:
        reason = str(error).partition("\n")[0] or type(error).__name__
        raise _unreadable(path, f"cannot be read: {reason}") from None
    wanted = ("step", *parts)
    there = state if isinstance(state, dict) else {}
    lacks = next((name for name in wanted if name not in there), None)
    if lacks is not None:
        reason = f"is a file of torch, but not a checkpoint of a run: it has no {lacks!r}"
        raise _unreadable(path, reason)
    return there


def _unreadable(path: Path, found: str) -> UsageError:
    return UsageError(
        f"{path}: {found}",
        "it was cut short in copying, or another program wrote it: copy it again; its folder also "
        f"has {list_names(path.parent, but=path)}",
    )


def list_names(folder: Path, but: Optional[Path] = None) -> str:
    """Join the names of the checkpoints of a folder."""
    found = [path.name for path in [*_by_step(folder), folder / BEST] if path.exists()]
    others = [name for name in found if but is None or name != but.name]
    return ", ".join(others) or "no others"


def _by_step(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*.pt"), key=lambda path: (len(path.name), path.name))


def _write_file(
    path: Path, write: Callable[[BinaryIO], Any], same_as: Optional[Path] = None
) -> None:
    """Write a file, or link it to ``same_as`` if possible, and name it when it is on the disk."""
    part = path.with_name(f".{path.name}{_PART}")
    try:
        part.unlink(missing_ok=True)
        if same_as is None or not _link(same_as, part):
            with part.open("wb") as file:
                write(file)
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
        _sync_folder(path.parent)
    except (OSError, RuntimeError) as error:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        cause = _system_error(error)
        if cause is None:
            raise
        raise UsageError(
            f"{path} cannot be written: {cause.strerror or cause}",
            "make room, or set a lower train.keep; --resume goes on from the last checkpoint",
        ) from error


def _system_error(error: Optional[BaseException]) -> Optional[OSError]:
    """Return the OSError behind an error of torch's writer; None if there is none."""
    while error is not None and not isinstance(error, OSError):
        error = error.__context__
    return error


def _link(source: Path, target: Path) -> bool:
    try:
        os.link(source, target)
    except OSError:  # not on every file system
        return False
    return True


def _copy(source: Path, file: BinaryIO) -> None:
    with source.open("rb") as original:
        shutil.copyfileobj(original, file)


def _sync_folder(folder: Path) -> None:
    """Flush a folder's new names to the disk, on systems that can open a folder."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
