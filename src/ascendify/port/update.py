"""Update a port after its original changed, keeping what people edited in it.

For every file three versions are compared: the one the tool wrote last (of the record), the one in
the port now, and the one the tool makes of the original as it is today.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ascendify.migrate import writer
from ascendify.port import record as records
from ascendify.port.merge import has_markers, merge
from ascendify.port.record import Record

BESIDE = ".ported"
"""Suffix of a new version that is written beside a file that people changed."""


class FileChange(str, enum.Enum):
    """What an update does with a file."""

    ADDED = "added"
    UPDATED = "updated"
    MERGED = "merged"
    """The file contains both your edits and those of the original."""
    KEPT = "kept"
    """As you edited it; the original brought no change."""
    REMOVED = "removed"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class Change:
    """What an update does with one file, and what a person should know of it."""

    path: str
    change: FileChange
    line: int | None = None
    """Where the first conflict is."""
    note: str = ""


@dataclass(frozen=True)
class Update:
    """All changes of one update, ready to be written."""

    changes: tuple[Change, ...]
    contents: Mapping[Path, bytes | Path]
    """New bytes by file, or the file to copy."""
    removed: tuple[Path, ...]

    @property
    def conflicts(self) -> tuple[Change, ...]:
        """Changes that a person must decide on."""
        return tuple(one for one in self.changes if one.change is FileChange.CONFLICT)


def plan(port: Path, before: Record, generated: Path, now: Record) -> Update:
    """Decide what happens to each file; nothing is written.

    Args:
        port: The folder to update.
        before: What the tool wrote to it last.
        generated: A folder with what the tool makes of the original today.
        now: The record of that folder.
    """
    changes: list[Change] = []
    contents: dict[Path, bytes | Path] = {}
    removed: list[Path] = []
    for path in sorted({*before.digests, *now.digests}):
        old, new = before.digests.get(path, ""), now.digests.get(path, "")
        target = port / path
        current = records.digest(target)
        if current in (old, new):
            if current == new:
                continue
            if not new:
                removed.append(target)
                changes.append(Change(path, FileChange.REMOVED))
                continue
            contents[target] = generated / path
            changes.append(Change(path, FileChange.UPDATED if old else FileChange.ADDED))
            continue
        change, content = _edited(path, target, before, generated, now)
        changes.append(change)
        contents.update(content)
    return Update(tuple(changes), contents, tuple(removed))


def _edited(
    path: str, target: Path, before: Record, generated: Path, now: Record
) -> tuple[Change, dict[Path, bytes | Path]]:
    """Decide about a file of the port that is neither what was written last nor what is new."""
    old, new = before.digests.get(path, ""), now.digests.get(path, "")
    if old == new:
        return Change(path, FileChange.KEPT), {}
    if not new:
        note = "the original no longer has it; kept because you edited it"
        return Change(path, FileChange.CONFLICT, note=note), {}
    if not records.digest(target):
        note = "you had removed it, and the original changed it since; it is back"
        return Change(path, FileChange.CONFLICT, note=note), {target: generated / path}
    return _merged(path, target, before, generated, now)


def _merged(
    path: str, target: Path, before: Record, generated: Path, now: Record
) -> tuple[Change, dict[Path, bytes | Path]]:
    mine = target.read_bytes() if not target.is_symlink() else b"\0"
    mergeable = path in now.texts and records.is_text(mine)
    if not mergeable or (path in before.digests and path not in before.texts):
        beside = target.with_name(target.name + BESIDE)
        note = f"you and the original changed it; the new one is {beside.name} beside yours"
        return Change(path, FileChange.CONFLICT, note=note), {beside: generated / path}
    base, text = before.texts.get(path, b"").decode(), now.texts[path].decode()
    result = merge(base, mine.decode(), text)
    content: dict[Path, bytes | Path] = {target: result.text.encode()}
    if not result.conflicts:
        return Change(path, FileChange.MERGED), content
    count = len(result.conflicts)
    note = f"{count} conflict{'s' * (count > 1)} between your edits and the original's"
    return Change(path, FileChange.CONFLICT, result.conflicts[0], note), content


def apply(port: Path, update: Update, now: Record) -> None:
    """Write an update and the new record; where something fails, nothing is changed."""
    contents = {**update.contents, port / records.FILE: records.content(now)}
    writer.replace_files(contents, update.removed)


def unresolved(port: Path, record: Record) -> list[Change]:
    """Files that still have the markers of an earlier conflict."""
    found = []
    for path in record.texts:
        file = port / path
        if not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if has_markers(text):
            line = next(n for n, one in enumerate(text.splitlines(), 1) if has_markers(one))
            note = "a conflict of an earlier update is not resolved"
            found.append(Change(path, FileChange.CONFLICT, line, note))
    return found
