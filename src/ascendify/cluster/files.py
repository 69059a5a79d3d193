"""Read a user's file as text, or raise one clear error if it is too large or not readable."""

from __future__ import annotations

import stat
from pathlib import Path

from ascendify.errors import UsageError

LARGEST = 1 << 30
"""Bytes: HCCL's limit for a rank table; inventories and hccn.conf files are far smaller."""


def read_text(path: Path) -> str:
    """Return the UTF-8 text of a file, including a byte order mark if there is one."""
    try:
        mode = path.stat().st_mode
        if stat.S_ISDIR(mode):
            raise UsageError(f"{path} is a folder", "name a file in it")
        if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
            raise UsageError(f"{path} is no regular file", "name a file")
        with path.open("rb") as file:
            # Check the size before reading: a sparse file may claim terabytes. A pipe has no size.
            large = path.stat().st_size > LARGEST
            data = b"" if large else file.read(LARGEST + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise UsageError(f"{path} does not exist", "check the path") from None
    except PermissionError:
        raise UsageError(
            f"{path} cannot be read: no permission", "change its permissions"
        ) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise UsageError(f"{path!s} cannot be read: {reason}", "check the path") from None
    if large or len(data) > LARGEST:
        raise UsageError(
            f"{path} has more than 1 GB, which HCCL does not read", "check that it is a rank table"
        )
    return decode(data, str(path))


def decode(data: bytes, source: str) -> str:
    """Decode bytes as UTF-8; ``source`` names them in the error."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise UsageError(
            f"{source}: not UTF-8: byte 0x{data[error.start]:02x} in line {line}",
            "save the file as UTF-8",
        ) from None
