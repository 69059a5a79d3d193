"""Write files so that they are complete or unchanged, and lock folders."""

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
    """Yield a temporary path next to ``path``, and rename it to ``path`` at the end.

    After an exception the temporary file is removed and ``path`` is as it was.

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
    """Write a text; if the process is killed, either the old or the new file is there.

    Raises:
        UsageError: it cannot be written; ``hint`` says what to do.
    """
    with write_atomically(path, hint) as part:
        part.write_text(text, encoding="utf-8")


@contextlib.contextmanager
def lock_folder(folder: Path, hint: str) -> Iterator[None]:
    """Lock a folder for this process; the lock ends with the process.

    Raises:
        UsageError: another process has locked it; ``hint`` says what to do.
    """
    if sys.platform == "win32":  # no such locks there
        yield
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # some network file systems have no locks
        if error.errno in (errno.EWOULDBLOCK, errno.EACCES):
            os.close(handle)
            raise UsageError(f"another process is writing to {folder}", hint) from error
    try:
        yield
    finally:
        os.close(handle)
