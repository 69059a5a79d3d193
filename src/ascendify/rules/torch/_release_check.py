"""Check that the release a project is migrated for has the names that a fix writes.

Every fix of a PyTorch file passes through :func:`checked` before it is applied. If it writes a name
that torch_npu or its PyTorch lacks in that release, or an argument that a function does not take,
the finding becomes a manual one that names the first release that has it. So no rule has to know
which release added a name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ascendify.catalog import replacements, torch_npu_names, torch_releases, versions
from ascendify.catalog.torch_releases import Release
from ascendify.findings import Finding
from ascendify.rules.kit import Changes, Diagnosis, Effort, File, Status
from ascendify.rules.torch import _release
from ascendify.source.edits import Edit, apply, conflict
from ascendify.source.nodes import call_of

_CHAIN = re.compile(
    r"(?<![\w.])(torch_npu|torch(?!\.npu\b)|[A-Za-z_]\w*\.npu)((?:\.[A-Za-z_]\w*)+)"
)
_IMPORTED = re.compile(r"from\s+(torch|torch_npu)((?:\.\w+)*)\s+import\s+(\([^)]*\)|[^\n#;]+)")
_IN_NAME = re.compile(r"[\w.]")
_LONG_LINE = 2000
_BESIDE = 100
"""Characters of a longer line on both sides of an edit in which its names begin and end."""
_HOME = "torch_npu"


def checked(diagnosis: Diagnosis, file: File, site: Any) -> Diagnosis:
    """Return the diagnosis, as a manual one where its fix writes what the release lacks."""
    fix = diagnosis.fix
    if fix is None or not (fix.edits or fix.imports):
        return diagnosis
    release = _release.of(file.facts)
    call = called_at(site)
    for name in written(fix, file.module.source.text):
        reason = missing(name, release, call)
        if reason:
            finding = diagnosis.finding
            todo = " ".join(filter(None, _instructions(name, reason, release, finding)))
            return Diagnosis(
                replace(finding, status=Status.MANUAL, done="", todo=todo, effort=Effort.MINUTES)
            )
    return diagnosis


def _instructions(name: str, reason: str, release: Release, finding: Finding) -> Iterator[str]:
    """Sentences about a fix that was not applied, and what to do instead."""
    yield f"Not changed, so it does not work on an NPU. {reason}"
    yield instead(name, release)
    if finding.done:
        yield f"For a release that has it, ascendify does this: {finding.done}"
    yield finding.todo


def instead(name: str, release: Release) -> str:
    """What to write with a release that lacks a name of torch, where that is known."""
    older = replacements.texts("older-torch").get(torch_npu_names.torch_newcomer(name)[0])
    return f"With torch {release.torch} write {older}." if older else ""


def missing(name: str, release: Release, call: ast.Call | None = None) -> str:
    """Say that a release lacks a name or an argument of the call; empty when it has both."""
    present = True if _is_npu(name) else release.torch_has(name)
    if not present:
        came = torch_npu_names.torch_line_words(torch_npu_names.torch_since(name))
        lacks = "may not" if present is None else "does not"
        return f"torch {release.torch} {lacks} have {name}, which came with torch {came}."
    parts = name.split(".")
    for end in range(2, len(parts) + 1):
        prefix = ".".join(parts[:end])
        if release.has(prefix) is False:
            return _lacks(prefix, release)
    for keyword in [] if call is None else [item.arg for item in call.keywords if item.arg]:
        if release.accepts(name, keyword) is False:
            later = torch_releases.first_with(name, release.torch, keyword)
            if later is not None and later.accepts(name, keyword):
                return _lacks(name, release, keyword)
    return ""


def called_at(site: Any) -> ast.Call | None:
    """The call, or the call of the function, that a rule fired on."""
    node = getattr(site, "node", None)
    if isinstance(node, ast.Call):
        return node
    return call_of(node) if isinstance(node, ast.expr) else None


def written(fix: Changes, text: str) -> list[str]:
    """The names of torch and torch_npu that a fix adds to a text."""
    found = [
        f"{item.module}.{item.name}"
        for item in fix.imports
        if item.name not in ("", "*") and item.module.split(".")[0] in ("torch", _HOME)
    ]
    if conflict(fix.edits) is None:
        for start, end, edits in _windows(fix.edits, text):
            moved = [Edit(item.start - start, item.end - start, item.new) for item in edits]
            before = text[start:end]
            old, new = list(_names(before)), list(_names(apply(before, moved)))
            found.extend(name for name in new if new.count(name) > old.count(name))
    return list(dict.fromkeys(found))


def _is_npu(name: str) -> bool:
    return f"{name}.".startswith(("torch_npu.", "torch.npu."))


def _lacks(name: str, release: Release, keyword: str = "") -> str:
    """Say that a release lacks a name or an argument, and which release has it."""
    later = torch_releases.first_with(name, release.torch, keyword)
    what = f"the argument {keyword} of {name}" if keyword else name
    lacks = f"{release} (stack {release.stack}) does not have {what}."
    if later is None:
        return lacks
    if versions.numbers(later.torch) < versions.numbers(release.torch):
        subject = "The argument" if keyword else "It"
        where = f"{subject} exists {torch_releases.presence(name, keyword)}."
    elif later.torch != release.torch:
        where = f"{later} for torch {later.torch} (stack {later.stack}) is the first that does."
    else:
        where = f"torch-npu=={later.version} (stack {later.stack}) does."
    return f"{lacks} {where}"


def _windows(edits: Iterable[Edit], text: str) -> Iterator[tuple[int, int, list[Edit]]]:
    """Group edits by the lines they change: start, end and edits of each group of lines.

    An import over several lines counts as one line.
    """
    found: list[tuple[int, int, list[Edit]]] = []
    for edit in sorted(edits, key=lambda item: item.sort_key):
        start = text.rfind("\n", 0, edit.start) + 1
        end = _line_end(text, edit.end)
        if re.match(r"\s*from\s", text[start:end]) and "(" in text[start:end]:
            close = text.find(")", start)
            end = max(end, _line_end(text, close)) if close >= 0 else end
        elif end - start > _LONG_LINE:
            start, end = _around(edit, text, start, end)
        if found and start < found[-1][1]:
            first, last, known = found[-1]
            found[-1] = (first, max(last, end), [*known, edit])
        else:
            found.append((start, end, [edit]))
    yield from found


def _around(edit: Edit, text: str, start: int, end: int) -> tuple[int, int]:
    """The part of a long line that an edit and the names beside it stand in."""
    first, last = max(start, edit.start - _BESIDE), min(end, edit.end + _BESIDE)
    while first > start and _IN_NAME.match(text, first - 1):
        first -= 1
    while last < end and _IN_NAME.match(text, last):
        last += 1
    return first, last


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _names(text: str) -> Iterator[str]:
    """Dotted names of torch and torch_npu in a text, ``th.npu.X`` included."""
    for match in _CHAIN.finditer(text):
        root = match[1] if match[1] in ("torch", _HOME) else "torch.npu"
        yield root + match[2]
    for match in _IMPORTED.finditer(text):
        for item in match[3].strip("()").split(","):
            name = item.split("#")[0].split(" as ")[0].strip()
            if name.isidentifier():
                yield f"{match[1]}{match[2]}.{name}"
