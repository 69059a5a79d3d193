"""Update a port after its original changed, keeping what people edited in it.

For every file three versions are compared: the one the tool wrote last (of the record), the one in
the port now, and the one the tool makes of the original as it is today.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from ascendify.migrate import writer
from ascendify.port import record as records
from ascendify.port.merge import has_markers, merge
from ascendify.port.record import PortRecord

_MOVED = 0.5
"""The share of lines that a moved file still has in common with what it was."""
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
class FileUpdate:
    """What an update does with one file, and what a person should know of it."""

    path: str
    change: FileChange
    line: int | None = None
    """Where the first conflict is."""
    note: str = ""


@dataclass(frozen=True)
class Update:
    """All changes of one update, ready to be written."""

    changes: tuple[FileUpdate, ...]
    contents: Mapping[Path, bytes | Path]
    """New bytes by file, or the file to copy."""
    removed: tuple[Path, ...]

    @property
    def conflicts(self) -> tuple[FileUpdate, ...]:
        """Changes that a person must decide on."""
        return tuple(one for one in self.changes if one.change is FileChange.CONFLICT)


def plan(port: Path, before: PortRecord, generated: Path, now: PortRecord) -> Update:
    """Decide what happens to each file; nothing is written.

    Args:
        port: The folder to update.
        before: What the tool wrote to it last.
        generated: A folder with what the tool makes of the original today.
        now: The record of that folder.
    """
    changes: list[FileUpdate] = []
    contents: dict[Path, bytes | Path] = {}
    removed: list[Path] = []
    moved = _find_moved(port, before, now)
    for path in sorted({*before.digests, *now.digests} - {*moved, *moved.values()}):
        old, new = before.digests.get(path, ""), now.digests.get(path, "")
        target = port / path
        current = records.digest(target)
        if current in (old, new):
            if current == new:
                continue
            if not new:
                removed.append(target)
                changes.append(FileUpdate(path, FileChange.REMOVED))
                continue
            contents[target] = generated / path
            changes.append(FileUpdate(path, FileChange.UPDATED if old else FileChange.ADDED))
            continue
        change, content = _edited(path, target, before, generated, now)
        changes.append(change)
        contents.update(content)
    for path, earlier in moved.items():
        change, content = _follow(path, earlier, port, before, now)
        changes.append(change)
        contents.update(content)
        removed.append(port / earlier)
    changes.sort(key=lambda one: one.path)
    return Update(tuple(changes), contents, tuple(removed))


def _find_moved(port: Path, before: PortRecord, now: PortRecord) -> dict[str, str]:
    """Find files that people edited and the original moved: new path -> path until now."""
    added = [
        path for path in now.texts if path not in before.digests and not (port / path).exists()
    ]
    moved: dict[str, str] = {}
    for earlier, base in before.texts.items():
        mine = port / earlier
        if earlier in now.digests or records.digest(mine) in ("", before.digests[earlier]):
            continue
        likeness = {path: _likeness(base, now.texts[path]) for path in added if path not in moved}
        best = max(likeness, key=lambda path: likeness[path], default="")
        if best and likeness[best] >= _MOVED and records.is_text(mine.read_bytes()):
            moved[best] = earlier
    return moved


def _likeness(first: bytes, second: bytes) -> float:
    """The share of lines that two texts have in common."""
    lines = first.splitlines(), second.splitlines()
    return SequenceMatcher(None, *lines, autojunk=False).ratio()


def _follow(
    path: str, earlier: str, port: Path, before: PortRecord, now: PortRecord
) -> tuple[FileUpdate, dict[Path, bytes | Path]]:
    """Take a person's edits along to where the original has moved a file."""
    mine = (port / earlier).read_bytes()
    change, content = _merge(path, port / path, before.texts[earlier], mine, now.texts[path])
    note = f"moved from {earlier}" + (f"; {change.note}" if change.note else "")
    return replace(change, note=note), content


def _edited(
    path: str, target: Path, before: PortRecord, generated: Path, now: PortRecord
) -> tuple[FileUpdate, dict[Path, bytes | Path]]:
    """Decide about a file of the port that is neither what was written last nor what is new."""
    old, new = before.digests.get(path, ""), now.digests.get(path, "")
    if old == new:
        return FileUpdate(path, FileChange.KEPT), {}
    if not new:
        note = "the original no longer has it; kept because you edited it"
        return FileUpdate(path, FileChange.CONFLICT, note=note), {}
    if not records.digest(target):
        note = "you had removed it, and the original changed it since; it is back"
        return FileUpdate(path, FileChange.CONFLICT, note=note), {target: generated / path}
    return _merged(path, target, before, generated, now)


def _merged(
    path: str, target: Path, before: PortRecord, generated: Path, now: PortRecord
) -> tuple[FileUpdate, dict[Path, bytes | Path]]:
    mine = target.read_bytes() if not target.is_symlink() else b"\0"
    mergeable = path in now.texts and records.is_text(mine)
    if not mergeable or (path in before.digests and path not in before.texts):
        beside = target.with_name(target.name + BESIDE)
        note = f"you and the original changed it; the new one is {beside.name} beside yours"
        return FileUpdate(path, FileChange.CONFLICT, note=note), {beside: generated / path}
    return _merge(path, target, before.texts.get(path, b""), mine, now.texts[path])


def _merge(
    path: str, target: Path, base: bytes, mine: bytes, generated: bytes
) -> tuple[FileUpdate, dict[Path, bytes | Path]]:
    result = merge(base.decode(), mine.decode(), generated.decode())
    content: dict[Path, bytes | Path] = {target: result.text.encode()}
    if not result.conflicts:
        return FileUpdate(path, FileChange.MERGED), content
    count = len(result.conflicts)
    note = f"{count} conflict{'s' * (count > 1)} between your edits and the original's"
    return FileUpdate(path, FileChange.CONFLICT, result.conflicts[0], note), content


def apply(port: Path, update: Update, now: PortRecord) -> None:
    """Write an update and the new record; where something fails, nothing is changed."""
    contents = {**update.contents, port / records.FILE: records.content(now)}
    writer.replace_files(contents, update.removed)


def unresolved(port: Path, record: PortRecord) -> list[FileUpdate]:
    """Files with a conflict of an earlier update: markers, or a new version beside them."""
    found = []
    for path in record.digests:
        file = port / path
        beside = file.with_name(file.name + BESIDE)
        if beside.exists():
            note = (
                f"of an earlier update, {beside.name} is still beside it: take it over or remove it"
            )
            found.append(FileUpdate(path, FileChange.CONFLICT, note=note))
        if path not in record.texts or not file.is_file():
            continue
        text = file.read_text(encoding="utf-8", errors="replace")
        if has_markers(text):
            line = next(n for n, one in enumerate(text.splitlines(), 1) if has_markers(one))
            note = "a conflict of an earlier update is not resolved"
            found.append(FileUpdate(path, FileChange.CONFLICT, line, note))
    return found
