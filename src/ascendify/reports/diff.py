r"""The files a run rewrote as a patch, forwards or backwards, for ``git apply`` and ``patch``.

Lines end at ``\n`` and nowhere else: ``str.splitlines`` also breaks at form feeds, vertical tabs
and ``U+2028``, which no patch program does. A ``\r`` stays at the end of its line.
"""

from __future__ import annotations

import difflib
import re

from ascendify.reports.model import FileResult, Report

_CONTEXT = 3
_HORIZON = 240
"""How many lines of both sides are searched for the place where they match again."""
_SURE = 3
"""How many equal lines in a row mark that place."""
_EXACT = 60_000
"""Ranges are compared by difflib while the product of their lengths is at most this: its cost
grows with the square, and past that a file of equal lines would take minutes."""
Opcode = tuple[str, int, int, int, int]
"""An opcode of difflib: the kind of change, and the two ranges of lines."""
_NO_NEWLINE = "\n\\ No newline at end of file\n"
_QUOTED = re.compile(r'["\\\x00-\x1f\x7f]')


def unified(report: Report) -> str:
    """The changes as text, to read."""
    return "".join(header + hunks for header, hunks, _ in _file_patches(report, inverse=False))


def patch(report: Report, *, inverse: bool = False) -> bytes:
    """The changes as a patch, to apply at the root of the project with ``-p1``.

    Paths are in UTF-8, and the lines of each file in that file's own encoding.

    Args:
        report: The report of the run.
        inverse: Give the patch that turns the output back into the input; it deletes the files
            that were added.
    """
    return b"".join(
        header.encode("utf-8", "surrogateescape") + hunks.encode(codec, "surrogateescape")
        for header, hunks, codec in _file_patches(report, inverse=inverse)
    )


def _file_patches(report: Report, *, inverse: bool) -> list[tuple[str, str, str]]:
    """For each rewritten file: the header, the hunks, and the codec of the hunks."""
    patches = []
    for entry in report.rewritten_files:
        old, new = _sides(entry)
        if inverse:
            old, new = new, old
        if old == new:
            continue
        hunks = _hunks(old or "", new or "")
        header = _header(entry.path, is_new=old is None, is_gone=new is None, empty=not hunks)
        patches.append((header, hunks, "utf-8" if _has_mark(entry) else entry.encoding))
    return patches


def _has_mark(entry: FileResult) -> bool:
    return entry.encoding.lower().replace("_", "-") == "utf-8-sig"


def _sides(entry: FileResult) -> tuple[str | None, str | None]:
    """Both texts, with the byte order mark where the file has one: it is part of the first line."""
    mark = "\ufeff" if _has_mark(entry) else ""
    before = None if entry.before is None else mark + entry.before
    after = None if entry.after is None else mark + entry.after
    return before, after


def _header(path: str, *, is_new: bool, is_gone: bool, empty: bool) -> str:
    old, new = _quote(f"a/{path}"), _quote(f"b/{path}")
    lines = [f"diff --git {old} {new}"]
    if is_new:
        lines.append("new file mode 100644")
    if is_gone:
        lines.append("deleted file mode 100644")
    if not empty:
        lines.append("--- /dev/null" if is_new else f"--- {_end(old)}")
        lines.append("+++ /dev/null" if is_gone else f"+++ {_end(new)}")
    return "".join(f"{line}\n" for line in lines)


def _quote(name: str) -> str:
    """Quote a name as git does where a plain one would be read wrongly."""
    if not _QUOTED.search(name):
        return name
    return '"' + _QUOTED.sub(lambda match: _escape(match[0]), name) + '"'


def _escape(character: str) -> str:
    return f"\\{character}" if character in '"\\' else f"\\{ord(character):03o}"


def _end(name: str) -> str:
    """Close a name that holds a space with a tab: patch programs cut at the first blank."""
    return f"{name}\t" if " " in name and not name.startswith('"') else name


def _hunks(old: str, new: str) -> str:
    before, after = split_lines(old), split_lines(new)
    matcher: difflib.SequenceMatcher[str] = difflib.SequenceMatcher(None, "", "")
    matcher.opcodes = opcodes(before, after)  # type: ignore[attr-defined]  # what it would compute
    body: list[str] = []
    for group in matcher.get_grouped_opcodes(_CONTEXT):
        (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = group[0], group[-1]
        old_range, new_range = _range(old_start, old_end), _range(new_start, new_end)
        body.append(f"@@ -{old_range} +{new_range} @@\n")
        for tag, i, j, k, m in group:
            if tag == "equal":
                body += [f" {line}" for line in before[i:j]]
            else:
                body += [f"-{line}" for line in before[i:j]]
                body += [f"+{line}" for line in after[k:m]]
    return "".join(line if line.endswith("\n") else line + _NO_NEWLINE for line in body)


def _range(start: int, end: int) -> str:
    """A range of lines in a patch: counted from 1, an empty one by the line before it."""
    length = end - start
    if length == 1:
        return str(start + 1)
    return f"{start + 1 if length else start},{length}"


def opcodes(before: list[str], after: list[str]) -> list[Opcode]:
    """Compare two texts line by line.

    Edits are few and small, so both sides are equal again soon after each; a search for that place
    is linear, while a full comparison of long files takes as long as migrating them.
    """
    found: list[Opcode] = []
    i = k = 0
    while i < len(before) or k < len(after):
        start = i
        while i < len(before) and k < len(after) and before[i] == after[k]:
            i, k = i + 1, k + 1
        if i > start:
            found.append(("equal", start, i, k - (i - start), k))
        if i < len(before) or k < len(after):
            j, m = _meeting(before, after, i, k)
            found += _compared(before, after, (i, j), (k, m))
            i, k = j, m
    return found


def _compared(
    before: list[str], after: list[str], old: tuple[int, int], new: tuple[int, int]
) -> list[Opcode]:
    """Compare a range of each side: short ranges exactly, long ones by a linear search."""
    (i, j), (k, m) = old, new
    if (j - i) * (m - k) <= _EXACT:
        inner = difflib.SequenceMatcher(None, before[i:j], after[k:m], autojunk=False)
        return [(t, i + a, i + b, k + c, k + d) for t, a, b, c, d in inner.get_opcodes()]
    found: list[Opcode] = []
    while i < j or k < m:
        start = i
        while i < j and k < m and before[i] == after[k]:
            i, k = i + 1, k + 1
        if i > start:
            found.append(("equal", start, i, k - (i - start), k))
        at, to = i, k
        while i < j or k < m:
            ends = (min(i + _HORIZON, j), min(k + _HORIZON, m))
            shared = _first_shared(before, after, (i, ends[0]), (k, ends[1]))
            i, k = shared or ends
            if shared is not None:
                break
        if i > at or k > to:
            tag = "replace" if i > at and k > to else "delete" if i > at else "insert"
            found.append((tag, at, i, to, k))
    return found


def _first_shared(
    before: list[str], after: list[str], old: tuple[int, int], new: tuple[int, int]
) -> tuple[int, int] | None:
    """The nearest pair of equal lines in a range of each side that say more than a blank line."""
    places: dict[str, int] = {}
    for number in range(new[1] - 1, new[0] - 1, -1):
        places[after[number]] = number
    pairs = (
        (number, places[before[number]])
        for number in range(*old)
        if before[number] in places and before[number].strip()
    )
    return min(pairs, key=sum, default=None)


def _meeting(before: list[str], after: list[str], i: int, k: int) -> tuple[int, int]:
    """The nearest place where both sides go on alike; their ends when there is none."""
    ends = (len(before), len(after))
    for distance in range(1, _HORIZON):
        for skipped in range(distance + 1):
            j, m = i + skipped, k + distance - skipped
            if j <= ends[0] and m <= ends[1] and _alike(before, after, j, m):
                return j, m
    return ends


def _alike(before: list[str], after: list[str], j: int, m: int) -> bool:
    return before[j : j + _SURE] == after[m : m + _SURE] and (
        j + _SURE <= len(before) or len(before) - j == len(after) - m
    )


def split_lines(text: str) -> list[str]:
    r"""The lines with their ends, where only ``\n`` ends a line."""
    *ended, rest = text.split("\n")
    lines = [f"{line}\n" for line in ended]
    return [*lines, rest] if rest else lines
