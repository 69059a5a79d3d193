"""Apply fixes to a file: all edits of a fix or none, every comment kept, imports added once."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ascendify.rules.fix import Changes
from ascendify.rules.rule import Diagnosis
from ascendify.source.edits import AcceptedEdits, Edit, EditConflict, apply, conflict
from ascendify.source.imports import Import, insertions
from ascendify.source.module import Module
from ascendify.source.nodes import function_around, statement_at
from ascendify.source.text import SourceError, SourceText

_LINE_END = re.compile(r"\r\n?")
ANCHORS = ("tensorflow", "keras", "tf_slim", "horovod", "torch", "torch_npu")
"""Packages beside whose import new imports go."""
_SMALL_PART, _FEW_EDITS = 0.6, 0.2
"""Of a text that was changed nearly everywhere, the parts are not parsed one by one: when they are
more than this of its characters, or the edits more than this of its lines."""
BESIDE = {"torch": "", "torch_npu": "torch", "npu_device": "tensorflow"}
"""Packages that go there too when they are imported plainly; torch_npu right behind torch."""


@dataclass
class Fixed:
    """A file after as many fixes as fit together."""

    text: str
    module: Module | None = None
    """The new text parsed, where it was parsed to see that it is valid."""
    edits: list[Edit] = field(default_factory=list)
    applied: list[Diagnosis] = field(default_factory=list)
    deferred: list[Diagnosis] = field(default_factory=list)
    """Fixes that overlap an applied one; the next pass tries them on the new text."""
    broken: list[Diagnosis] = field(default_factory=list)
    """Fixes that contradict themselves or whose result would not parse; left out and reported."""
    moot: list[Diagnosis] = field(default_factory=list)
    """Fixes to text that an applied fix removes; nothing is left to report about them."""


def fix_python(module: Module, diagnoses: Iterable[Diagnosis]) -> Fixed:
    """Apply the fixes that fit together; leave out and report those that give no valid text."""
    fixed = _choose(diagnoses, module.source.text)
    if not fixed.applied:
        return fixed
    return fixed if _composed(module, fixed) else _without_broken(module, fixed)


def fix_text(text: str, diagnoses: Iterable[Diagnosis]) -> Fixed:
    """Apply fixes to a file that is not Python."""
    fixed = _choose(diagnoses, text)
    fixed.text = apply(text, fixed.edits)
    return fixed


def _choose(diagnoses: Iterable[Diagnosis], text: str) -> Fixed:
    fixed = Fixed(text)
    accepted = AcceptedEdits()
    bound: dict[str, Import] = {}
    for diagnosis in diagnoses:
        if diagnosis.fix is None or not (diagnosis.fix.edits or diagnosis.fix.imports):
            continue
        if conflict(diagnosis.fix.edits) is not None:
            fixed.broken.append(diagnosis)
            continue
        # two rules that remove the same thing agree; two that insert the same text do not
        new = [edit for edit in diagnosis.fix.edits if not accepted.has(edit)]
        if any(map(accepted.overlaps, new)):
            gone = all(_is_removed(edit, accepted) for edit in new)
            (fixed.moot if gone else fixed.deferred).append(diagnosis)
            continue
        if _binds_differently(diagnosis.fix, bound):
            fixed.deferred.append(diagnosis)
            continue
        for edit in new:
            accepted.add(edit)
        bound.update((item.spelling, item) for item in diagnosis.fix.imports)
        fixed.edits.extend(new)
        fixed.applied.append(diagnosis)
    return fixed


def _is_removed(edit: Edit, accepted: AcceptedEdits) -> bool:
    """Whether a deletion takes away everything an edit would touch."""
    return any(other.new.strip() in ("", "pass") for other in accepted.covering(edit))


def _binds_differently(fix: Changes, bound: Mapping[str, Import]) -> bool:
    """Whether a fix imports something else under a name that an applied one imports."""
    return any(
        (known := bound.get(item.spelling)) is not None
        and (known.module, known.name) != (item.module, item.name)
        for item in fix.imports
    )


def _composed(module: Module, fixed: Fixed) -> bool:
    """Apply the edits, and tell whether they fit together and give valid Python."""
    try:
        _finish(module, fixed)
    except EditConflict:
        return False
    return _is_valid(module, fixed)


def _is_valid(module: Module, fixed: Fixed) -> bool:
    """Whether the new text is valid Python in the encoding of the file.

    Statements at the outermost level that no edit touches are as valid as they were, so in most
    files a small part of the text is parsed.
    """
    if len(fixed.edits) < len(module.source.line_starts) * _FEW_EDITS:
        changed = list(_changed_parts(module, fixed.edits))
        small = sum(map(len, changed)) < len(fixed.text) * _SMALL_PART
        if small and all(_parsed(module, part) is not None for part in changed):
            return True
    fixed.module = _parsed(module, fixed.text)
    return fixed.module is not None


def _changed_parts(module: Module, edits: Iterable[Edit]) -> Iterator[str]:
    """New texts of the lines that edits touch, with all of the statements that stand there."""
    source = module.source
    starts = source.line_starts
    parts: list[tuple[int, int, list[Edit]]] = []
    statements = _statement_lines(module)
    for edit in sorted(edits, key=lambda item: item.sort_key):
        first, last = source.position(edit.start)[0], source.position(edit.end)[0]
        while first > 1 and source.line(first - 1).rstrip("\r\n").endswith("\\"):
            first -= 1
        first, last = statements.around(first)[0], statements.around(last)[1]
        if parts and first <= parts[-1][1]:
            before, end, known = parts.pop()
            parts.append((before, max(end, last), [*known, edit]))
        else:
            parts.append((first, last, [edit]))
    for first, last, inside in parts:
        start = starts[first - 1]
        end = starts[last] if last < len(starts) else len(source.text)
        moved = [replace(item, start=item.start - start, end=item.end - start) for item in inside]
        yield apply(source.text[start:end], moved)


class _Lines:
    """Ranges of lines that do not meet, in order."""

    def __init__(self, ranges: Iterable[tuple[int, int]]) -> None:
        self._firsts: list[int] = []
        self._lasts: list[int] = []
        for first, last in ranges:
            if self._lasts and first <= self._lasts[-1]:
                self._lasts[-1] = max(last, self._lasts[-1])
            else:
                self._firsts.append(first)
                self._lasts.append(last)

    def around(self, line: int) -> tuple[int, int]:
        """The range that a line belongs to; the line alone where there is none."""
        number = bisect_right(self._firsts, line) - 1
        if number < 0 or self._lasts[number] < line:
            return line, line
        return self._firsts[number], self._lasts[number]


def _statement_lines(module: Module) -> _Lines:
    """The lines of each statement at the outermost level, decorators included."""
    return _Lines(
        (
            min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", ()))]),
            node.end_lineno or node.lineno,
        )
        for node in module.tree.body
    )


def _finish(module: Module, fixed: Fixed) -> None:
    """Add the imports and the comments the edits would swallow, and make the text."""
    wanted: list[Import] = []
    for diagnosis in fixed.applied:
        if diagnosis.fix is not None:
            wanted.extend(diagnosis.fix.imports)
            wanted.extend(_too_late(module, diagnosis.fix))
    edits = [*fixed.edits, *_kept_comments(module, fixed.edits)]
    imports = insertions(module, wanted, ANCHORS, BESIDE)
    edits.extend([_moved_out(edit, edits, module.source.newline) for edit in imports])
    edits.extend(_definitions(module, fixed.applied))
    fixed.edits = edits
    fixed.text = apply(module.source.text, edits)


def _too_late(module: Module, fix: Changes) -> list[Import]:
    """Imports that the new code needs but that the file has only after that code runs."""
    return [
        item
        for item, end in fix.reused
        if any(edit.start < end and _runs_at_once(module, edit.start) for edit in fix.edits)
    ]


def _runs_at_once(module: Module, offset: int) -> bool:
    """Whether the code at an offset runs while the file is read, not when a function is called."""
    owner = statement_at(module.tree, module.source.position(offset)[0])
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return owner is None or not (isinstance(owner, functions) or function_around(owner))


def _moved_out(imports: Edit, edits: list[Edit], newline: str) -> Edit:
    """New imports land after a statement another edit removes as a whole: move past it."""
    for edit in edits:
        if edit.start < imports.start < edit.end:
            return Edit(edit.end, edit.end, imports.new.strip("\r\n") + newline)
    return imports


def _definitions(module: Module, applied: list[Diagnosis]) -> list[Edit]:
    """Insertions of the helper functions that fixes need, each once."""
    wanted: dict[str, int] = {}
    for diagnosis in applied:
        for text, place in diagnosis.fix.definitions if diagnosis.fix is not None else ():
            wanted[text] = min(place, wanted.get(text, place))
    newline = module.source.newline
    return [
        Edit(place, place, text.replace("\n", newline) + newline * 3)
        for text, place in wanted.items()
    ]


def _kept_comments(module: Module, edits: list[Edit]) -> list[Edit]:
    """Insertions that bring back, above the statement, comments inside replaced text."""
    text = module.source.text
    suspects = [edit for edit in edits if "#" in text[edit.start : edit.end]]
    if not suspects:
        return []
    kept: list[Edit] = []
    accepted = AcceptedEdits()
    for edit in edits:
        accepted.add(edit)
    spared = {edit: _spelled_comments(edit.new) for edit in suspects}
    for start, comment in _comments(module.source):
        for edit in accepted.covering(Edit(start, start + 1, "")):
            if comment in spared[edit]:
                spared[edit].remove(comment)
                continue
            owner = statement_at(module.tree, module.source.position(edit.start)[0])
            line = module.source.position(edit.start)[0] if owner is None else owner.lineno
            at = module.source.line_starts[line - 1]
            while (other := accepted.around(at)) is not None:
                at = module.source.line_starts[module.source.position(other.start)[0] - 1]
            indent = "" if owner is None else module.indent(owner)
            kept.append(Edit(at, at, indent + comment + module.source.newline))
    return kept


def _spelled_comments(text: str) -> list[str]:
    """What may be comments in a piece of text that need not be valid Python."""
    lines = (line.rstrip() for line in _LINE_END.sub("\n", text).split("\n"))
    return [line[at:] for line in lines for at, char in enumerate(line) if char == "#"]


def _comments(source: SourceText) -> list[tuple[int, str]]:
    """Offset and text of every comment."""
    found: list[tuple[int, str]] = []
    # tokenize does not know a carriage return alone as a line end
    lines = io.StringIO(_LINE_END.sub("\n", source.text))
    for token in tokenize.generate_tokens(lines.readline):
        if token.type == tokenize.COMMENT:
            line, column = token.start
            found.append((source.line_starts[line - 1] + column, token.string.rstrip()))
    return found


def _parsed(module: Module, text: str) -> Module | None:
    """A module with a new text; None where that is not valid Python in the module's encoding."""
    try:
        module.source.encode(text)
        source = SourceText(text, module.source.encoding, module.source.bom)
        return Module.parse_text(module.path, source)
    except (SourceError, UnicodeEncodeError):
        return None


def _without_broken(module: Module, fixed: Fixed) -> Fixed:
    """Add the fixes one by one and keep those after which the file still parses.

    One that only fails beside others (a line put into a block that loses a level) waits for the
    next pass over the new text.
    """
    good: list[Diagnosis] = []
    broken: list[Diagnosis] = []
    waiting: list[Diagnosis] = []
    for diagnosis in fixed.applied:
        if _parses_with(module, [*good, diagnosis]):
            good.append(diagnosis)
        elif good and _parses_with(module, [diagnosis]):
            waiting.append(diagnosis)
        else:
            broken.append(diagnosis)
    result = _choose(good, module.source.text)
    if result.applied:
        _composed(module, result)
    result.deferred.extend([*waiting, *fixed.deferred])
    result.broken.extend([*fixed.broken, *broken])
    result.moot.extend(fixed.moot)
    return result


def _parses_with(module: Module, diagnoses: list[Diagnosis]) -> bool:
    return _composed(module, _choose(diagnoses, module.source.text))
