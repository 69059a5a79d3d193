"""Whether the release a project is migrated for has the names that a fix writes.

Every fix of a PyTorch file passes through :func:`checked` before it is applied. A name of torch_npu
or of its PyTorch that the release lacks, or an argument its function does not take there, turns the
finding into one for people that names the first release that has it. So no rule has to know when a
name came.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from ascendify.catalog import torch_npu_names, torch_releases, versions
from ascendify.catalog.torch_releases import Release
from ascendify.findings import Finding
from ascendify.rules.kit import Changes, Diagnosis, Effort, File, Status
from ascendify.rules.torch import _release
from ascendify.source.edits import Edit, apply, conflict
from ascendify.source.scopes import parent

_CHAIN = re.compile(
    r"(?<![\w.])(torch_npu|torch(?!\.npu\b)|[A-Za-z_]\w*\.npu)((?:\.[A-Za-z_]\w*)+)"
)
_IMPORTED = re.compile(r"from\s+(torch|torch_npu)((?:\.\w+)*)\s+import\s+(\([^)]*\)|[^\n#;]+)")
_IN_NAME = re.compile(r"[\w.]")
_LONG_LINE = 2000
_BESIDE = 100
"""Characters of a longer line on both sides of an edit in which its names begin and end."""
_HOME = "torch_npu"
_INSTEAD = {
    "torch.OutOfMemoryError": "RuntimeError, which torch_npu raises there",
    "torch.accelerator": "torch.npu, most of whose functions have the same names",
    "torch.amp.GradScaler": "torch.npu.amp.GradScaler, which takes no device",
    "torch.amp.custom_bwd": "torch.npu.amp.custom_bwd, which takes no device",
    "torch.amp.custom_fwd": "torch.npu.amp.custom_fwd, which takes no device",
    "torch.distributed.device_mesh": "torch.distributed._tensor.DeviceMesh",
    "torch.distributed.fsdp.fully_shard": "torch.distributed.fsdp.FullyShardedDataParallel",
    "torch.get_autocast_dtype": "torch.npu.get_autocast_dtype()",
    "torch.get_device_module": "torch.npu",
    "torch.nn.RMSNorm": "a module of your own around torch_npu.npu_rms_norm",
    "torch.nn.functional.rms_norm": "torch_npu.npu_rms_norm(x, weight, eps)[0]",
    "torch.set_autocast_dtype": "torch.npu.set_autocast_dtype(dtype)",
}
"""Name of torch -> what to write with a release that lacks it."""


def checked(diagnosis: Diagnosis, file: File, site: Any) -> Diagnosis:
    """The diagnosis, or one for people where its fix writes what the release does not have."""
    fix = diagnosis.fix
    if fix is None or not (fix.edits or fix.imports):
        return diagnosis
    release = _release.of(file.facts)
    call = call_of(site)
    for name in written(fix, file.module.source.text):
        reason = missing(name, release, call)
        if reason:
            finding = diagnosis.finding
            todo = " ".join(filter(None, _words(name, reason, release, finding)))
            return Diagnosis(
                replace(finding, status=Status.MANUAL, done="", todo=todo, effort=Effort.MINUTES)
            )
    return diagnosis


def _words(name: str, reason: str, release: Release, finding: Finding) -> Iterator[str]:
    """What to do about a place where the fix of a finding would write what a release lacks."""
    yield f"Left as it is, which does not work on an NPU. {reason}"
    yield instead(name, release)
    if finding.done:
        yield f"With a release that has it, the tool does this: {finding.done}"
    yield finding.todo


def instead(name: str, release: Release) -> str:
    """What to write with a release that lacks a name of torch, where that is known."""
    older = _INSTEAD.get(torch_npu_names.torch_newcomer(name)[0])
    return f"With torch {release.torch} write {older}." if older else ""


def missing(name: str, release: Release, call: ast.Call | None = None) -> str:
    """What a release lacks of a name, or of the arguments it is called with; empty when nothing."""
    present = True if _is_npu(name) else release.torch_has(name)
    if not present:
        came = torch_npu_names.torch_line_words(torch_npu_names.torch_since(name))
        lacks = "may not" if present is None else "does not"
        return f"torch {release.torch} {lacks} have {name}, which came with torch {came}."
    parts = name.split(".")
    for end in range(2, len(parts) + 1):
        prefix = ".".join(parts[:end])
        if release.has(prefix) is False:
            return _told(prefix, release)
    for keyword in [] if call is None else [item.arg for item in call.keywords if item.arg]:
        if release.accepts(name, keyword) is False:
            later = torch_releases.first_with(name, release.torch, keyword)
            if later is not None and later.accepts(name, keyword):
                return _told(name, release, keyword)
    return ""


def call_of(site: Any) -> ast.Call | None:
    """The call whose function a rule fired on."""
    node = getattr(site, "node", None)
    if isinstance(node, ast.Call):
        return node
    around = parent(node) if isinstance(node, ast.expr) else None
    return around if isinstance(around, ast.Call) and around.func is node else None


def written(fix: Changes, text: str) -> list[str]:
    """The names of torch and torch_npu that a fix writes and that did not stand there before."""
    found = [
        f"{item.module}.{item.name}"
        for item in fix.imports
        if item.name not in ("", "*") and item.module.split(".")[0] in ("torch", _HOME)
    ]
    if conflict(fix.edits) is None:
        for start, end, edits in _windows(fix.edits, text):
            moved = [Edit(item.start - start, item.end - start, item.new) for item in edits]
            before = text[start:end]
            new = Counter(_names(apply(before, moved))) - Counter(_names(before))
            found.extend(new)
    return list(dict.fromkeys(found))


def _is_npu(name: str) -> bool:
    return f"{name}.".startswith(("torch_npu.", "torch.npu."))


def _told(name: str, release: Release, keyword: str = "") -> str:
    later = torch_releases.first_with(name, release.torch, keyword)
    what = f"the argument {keyword} of {name}" if keyword else name
    lacks = f"{release} (stack {release.stack}) does not have {what}."
    if later is None:
        return lacks
    if versions.numbers(later.torch) < versions.numbers(release.torch):
        subject = "The argument" if keyword else "It"
        where = f"{subject} is there {torch_releases.presence(name, keyword)}."
    elif later.torch != release.torch:
        where = f"{later} for torch {later.torch} (stack {later.stack}) is the first that does."
    else:
        where = f"torch-npu=={later.version} (stack {later.stack}) does."
    return f"{lacks} {where}"


def _windows(edits: Iterable[Edit], text: str) -> Iterator[tuple[int, int, list[Edit]]]:
    """The lines that edits touch, each stretch with its edits; an import has all its lines."""
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
    """Dotted names of torch and torch_npu in a text; ``npu`` below whatever name torch goes by."""
    for match in _CHAIN.finditer(text):
        root = match[1] if match[1] in ("torch", _HOME) else "torch.npu"
        yield root + match[2]
    for match in _IMPORTED.finditer(text):
        for item in match[3].strip("()").split(","):
            name = item.split("#")[0].split(" as ")[0].strip()
            if name.isidentifier():
                yield f"{match[1]}{match[2]}.{name}"
