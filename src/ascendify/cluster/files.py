"""Reading what users hand us: any file, however large or broken, is text or one clear error."""

from __future__ import annotations

import stat
from pathlib import Path

from ascendify.errors import UsageError

LARGEST = 1 << 30
"""Bytes: HCCL reads no larger rank table, and nothing else described here comes near it."""


def read_text(path: Path) -> str:
    """The text of a file in UTF-8; a byte order mark stays, for the reader to judge."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UsageError(f"{path} is a folder", "name a file in it")
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise UsageError(f"{path} is no regular file", "name a file")
        with path.open("rb") as file:
            # A sparse file's size costs nothing to look at; what a pipe holds is not known.
            large = path.stat().st_size > LARGEST
            data = b"" if large else file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{path} does not exist", "check the path") from None
    except PermissionError:
        raise UsageError(f"{path} may not be read", "change its permissions") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path!s} cannot be read: {reason}", "check the path") from None
    if large or len(data) > LARGEST:
        raise UsageError(
            f"{path} has more than 1 GB, which HCCL does not read", "check that it is a rank table"
        )
    return decode(data, str(path))


def decode(data: bytes, source: str) -> str:
    """The text of some bytes in UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{source}: not UTF-8: byte 0x{data[error.start]:02x} in line {line}",
            "save the file as UTF-8",
        ) from None
