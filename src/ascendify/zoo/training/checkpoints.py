"""Checkpoints as files: whole or not there, the newest few and the best.

A folder has ``step-00001000.pt`` and so on, and ``best.pt``, a link to one of them or to one that
is gone by now. A file gets its name only when all of it is on the disk, so a process killed while
it writes leaves the checkpoints before it, and a hidden file that the next one removes.
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
"""What zipfile and torch raise for bytes that are not what was written."""


def save(folder: Path, step: int, state: Mapping[str, Any], keep: int, best: bool = False) -> Path:
    """Write the checkpoint of a step; older ones than the ``keep`` newest go, the best stays."""
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
    """The checkpoint of the highest step, None where there is none."""
    found = _by_step(folder)
    return found[-1] if found else None


def best(folder: Path) -> Optional[Path]:
    """The checkpoint that was the best when it was written, None where none was."""
    path = folder / BEST
    return path if path.exists() else None


def load(path: Path, parts: Iterable[str] = ()) -> dict[str, Any]:
    """Read a checkpoint that has some parts; its tensors are on the CPU, no code in it is run."""
    if not path.is_file():
        raise UsageError(f"{path}: no such checkpoint", f"beside it are {list_names(path.parent)}")
    try:
        if not zipfile.is_zipfile(path):
            raise _unreadable(path, "is no checkpoint, or its end is missing")
        with zipfile.ZipFile(path) as archive:
            damaged = archive.testzip()  # torch does not look at the checksums it writes
        if damaged:
            raise _unreadable(path, f"is damaged: the checksum of {damaged} does not fit")
        state = torch.load(path, map_location="cpu", weights_only=True)
    except _DAMAGES as error:
        told = str(error).partition("\n")[0] or type(error).__name__
        raise _unreadable(path, f"cannot be read: {told}") from None
    wanted = ("step", *parts)
    there = state if isinstance(state, dict) else {}
    lacks = next((name for name in wanted if name not in there), None)
    if lacks is not None:
        told = f"is a file of torch, but no checkpoint of a run: it has no {lacks!r}"
        raise _unreadable(path, told)
    return there


def _unreadable(path: Path, found: str) -> UsageError:
    return UsageError(
        f"{path}: {found}",
        "it was cut short in copying, or another program wrote it: copy it again; beside it there "
        f"are {list_names(path.parent, but=path)}",
    )


def list_names(folder: Path, but: Optional[Path] = None) -> str:
    """The checkpoints of a folder, in words."""
    found = [path.name for path in [*_by_step(folder), folder / BEST] if path.exists()]
    others = [name for name in found if but is None or name != but.name]
    return ", ".join(others) or "no others"


def _by_step(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*.pt"), key=lambda path: (len(path.name), path.name))


def _write_file(
    path: Path, write: Callable[[BinaryIO], Any], same_as: Optional[Path] = None
) -> None:
    """Give a file its name when all of it is on the disk; a link where one would do and can be."""
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
    """What the system said; torch's writer hides it behind what it says itself."""
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
    """Bring a new name to the disk, where the system can open a folder."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
