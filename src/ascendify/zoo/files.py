"""Files that are there whole, or as they were."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from ascendify.errors import UsageError

if sys.platform != "win32":
    import fcntl


@contextlib.contextmanager
def write_atomically(path: Path, hint: str) -> Iterator[Path]:
    """A file beside the one to write, which gets its name when it is whole, or is gone.

    Raises:
        UsageError: it cannot be written; ``hint`` says what to do.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield part
        part.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror or error}", hint) from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


def write_text(path: Path, text: str, hint: str = "make room, or name another folder") -> None:
    """Write a text; whoever ends this leaves the old file or the new one.

    Raises:
        UsageError: it cannot be written; ``hint`` says what to do.
    """
    with write_atomically(path, hint) as part:
        part.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def lock_folder(folder: Path, hint: str) -> Iterator[None]:
    """A folder that no other process claims meanwhile; one that is killed claims nothing.

    Raises:
        UsageError: another process has it; ``hint`` says what to do.
    """
    if sys.platform == "win32":  # which has no such locks
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # some network file systems know no locks
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            os.close(handle)
            raise UsageError(f"another process writes into {folder}", hint) from error
    try:
        yield
    finally:
        os.close(handle)
