"""The record of a port: what the tool wrote last, to tell later edits of people from it.

It lies in the port itself, ``.ascendify/port.zip``: the options, a digest of every file, and the
text of those that can be merged. Whoever has the port, from version control say, can update it.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ascendify import __version__
from ascendify.errors import UsageError

FILE = Path(".ascendify") / "port.zip"
_INDEX = "record.json"
_TEXTS = "files/"
_VERSION = 1
MERGED_BYTES = 1_000_000
"""Larger files are data: they are replaced or kept, never merged."""
_CHUNK = 1 << 20


@dataclass(frozen=True)
class PortRecord:
    """What a port consisted of when the tool wrote it, for later updates."""

    digests: Mapping[str, str]
    """Path in the port -> digest of its bytes."""
    texts: Mapping[str, bytes] = field(default_factory=dict, repr=False)
    """The bytes of files that can be merged."""
    options: Mapping[str, object] = field(default_factory=dict)
    """The options that the user gave, which the next update takes over."""


def read(port: Path) -> PortRecord | None:
    """Read the record of a port; None where the folder has none.

    Raises:
        UsageError: there is one that cannot be read.
    """
    file = port / FILE
    if not file.is_file():
        return None
    try:
        with zipfile.ZipFile(file) as archive:
            index = json.loads(archive.read(_INDEX))
            texts = {
                name[len(_TEXTS) :]: archive.read(name)
                for name in archive.namelist()
                if name.startswith(_TEXTS)
            }
    except (OSError, zipfile.BadZipFile, KeyError, ValueError) as error:
        raise UsageError(
            f"{file}, the record of this port, cannot be read: {error}",
            "restore it from version control, or port into a new folder",
        ) from error
    if index.get("version") != _VERSION:
        raise UsageError(
            f"{file} was written by ascendify {index.get('ascendify', 'of another release')}",
            f"this is {__version__}: use the newer of the two, or port into a new folder",
        )
    return PortRecord(index["digests"], texts, index["options"])


def write(port: Path, record: PortRecord) -> None:
    """Write the record of a port, as a whole or not at all."""
    file = port / FILE
    file.parent.mkdir(parents=True, exist_ok=True)
    part = file.with_name(f".{file.name}.{os.getpid()}")
    part.write_bytes(content(record))
    part.replace(file)


def content(record: PortRecord) -> bytes:
    """The bytes of a record's file."""
    index = {
        "version": _VERSION,
        "ascendify": __version__,
        "options": dict(record.options),
        "digests": dict(sorted(record.digests.items())),
    }
    page = io.BytesIO()
    # the fastest level: a port of two thousand files is recorded in a fraction of a second
    with zipfile.ZipFile(page, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr(zipfile.ZipInfo(_INDEX), json.dumps(index, indent=1))
        for path, text in sorted(record.texts.items()):
            archive.writestr(zipfile.ZipInfo(f"{_TEXTS}{path}"), text, zipfile.ZIP_DEFLATED)
    return page.getvalue()


def describe(folder: Path, paths: Iterable[str], options: Mapping[str, object]) -> PortRecord:
    """Make the record of files that the tool has written to a folder."""
    digests: dict[str, str] = {}
    texts: dict[str, bytes] = {}
    for path in paths:
        file = folder / path
        digests[path] = digest(file)
        if not file.is_symlink() and file.stat().st_size <= MERGED_BYTES:
            known = file.read_bytes()
            if is_text(known):
                texts[path] = known
    return PortRecord(digests, texts, options)


def digest(file: Path) -> str:
    """A digest of a file or symbolic link; empty where there is none."""
    if file.is_symlink():
        return f"link:{os.readlink(file)}"  # noqa: PTH115 (Path.readlink drops a leading ./)
    if not file.is_file():
        return ""
    found = hashlib.sha256()
    with file.open("rb") as stream:
        while chunk := stream.read(_CHUNK):
            found.update(chunk)
    return found.hexdigest()


def is_text(content: bytes) -> bool:
    """Whether bytes are a text that can be merged line by line."""
    if b"\0" in content:
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
