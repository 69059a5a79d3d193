"""Take the text of one file to its fixed point: analyse and fix until no fix is left.

One pass is enough for most files. Another follows where fixes touch the same text, and where a
rule wants to see the rewritten text; rules that look at what all others leave come last.
Findings always say where something stands in the file the user wrote.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from itertools import accumulate

from ascendify.findings import Finding, Span, not_applied
from ascendify.migrate import mentions
from ascendify.migrate.analyse import Analyser, Analysis
from ascendify.migrate.fixing import Fixed, fix_python, fix_text
from ascendify.reports.model import FileAction, FileResult, Mention
from ascendify.rules.rule import Diagnosis
from ascendify.rules.site import File, TextSite
from ascendify.source.edits import trace
from ascendify.source.module import Module
from ascendify.source.text import SourceText

_MAX_PASSES = 8
"""Far more than any file needs; reaching it means two rules undo each other's work."""


def migrate_python(analyser: Analyser, module: Module) -> FileResult:
    """Analyse and fix a Python file until no fix is left."""
    file = File(module, analyser.resolver, analyser.facts)
    analysis = analyser.python(module)
    fixed = fix_python(module, analysis.diagnoses)
    rewrite = _Rewrite(module, module.source.text, _findings(analysis, fixed), _current=module)
    rewrite.take(fixed)
    if fixed.deferred or _unsettled(analysis, fixed):
        _further_passes(analyser, rewrite, fixed)
    if analyser.has_last(file):
        _last_pass(analyser, rewrite)
    return replace(
        _result(module.path, module.source.text, rewrite.text, rewrite.findings),
        apis=analysis.apis,
        mentions=mentions.of_python(
            rewrite.text,
            rewrite.findings,
            lambda offset: module.source.position(rewrite.original_offset(offset))[0],
            module.path,
        )
        if file.platform == "torch"
        else (),
        migrated=file.migrated,
        encoding=module.source.codec,
    )


def migrate_text(analyser: Analyser, site: TextSite) -> FileResult:
    """Analyse and fix a launch script, a requirements file and the like until no fix is left."""
    analysis = analyser.text(site)
    fixed = fix_text(site.text, analysis.diagnoses)
    findings = _findings(analysis, fixed)
    back = [trace(fixed.edits)]
    for _ in range(_MAX_PASSES):
        if not fixed.deferred:
            break
        again = analyser.text(replace(site, text=fixed.text))
        fixed = fix_text(fixed.text, again.diagnoses)
        back.append(trace(fixed.edits))

    def original_line(offset: int) -> int:
        for step in reversed(back):
            offset = step(offset)
        return site.text.count("\n", 0, offset) + 1

    found: tuple[Mention, ...] = ()
    if site.facts.platform == "torch":
        found = mentions.of_text(fixed.text, site.kind, findings, original_line, site.path)
    return replace(_result(site.path, site.text, fixed.text, findings), mentions=found)


def _result(path: str, before: str, after: str, findings: list[Finding]) -> FileResult:
    if before == after:
        return FileResult(path, FileAction.UNCHANGED, findings=tuple(findings))
    return FileResult(path, FileAction.CHANGED, before, after, findings=tuple(findings))


@dataclass
class _Rewrite:
    """A Python file between two passes."""

    original: Module
    text: str
    """The text after the passes so far."""
    findings: list[Finding] = field(default_factory=list)
    back: list[Callable[[int], int]] = field(default_factory=list)
    """For each pass, how an offset of its result becomes one of the text it started from."""
    removed: list[tuple[int, int]] = field(default_factory=list)
    """Ranges of the user's text that were taken out as a whole."""
    _current: Module | None = None

    @property
    def current(self) -> Module:
        """The file after the passes so far, parsed when somebody looks at its tree."""
        if self._current is None:
            source = replace(self.original.source, text=self.text)
            self._current = Module.parse_text(self.original.path, source)
        return self._current

    def take(self, fixed: Fixed) -> None:
        """Go on from the result of a pass."""
        self.removed.extend(
            (self.original_offset(edit.start), self.original_offset(edit.end))
            for edit in fixed.edits
            if edit.end > edit.start and edit.new.strip() in ("", "pass")
        )
        if fixed.text != self.text:
            self.text, self._current = fixed.text, fixed.module
        self.back.append(trace(fixed.edits))

    def original_offset(self, offset: int) -> int:
        """An offset of the current text as one of the user's."""
        for step in reversed(self.back):
            offset = step(offset)
        return offset

    def at_origin(self, finding: Finding) -> Finding:
        """A finding about the current text, with its span in the file the user wrote."""
        starts, source = self.current.source.line_starts, self.original.source

        def original(line: int, column: int) -> tuple[int, int]:
            return source.position(self.original_offset(starts[line - 1] + column - 1))

        span = finding.span
        start = original(span.line, span.column)
        end = max(start, original(span.end_line, span.end_column))
        return replace(finding, span=Span(*start, *end))


def _further_passes(analyser: Analyser, rewrite: _Rewrite, first: Fixed) -> None:
    """Analyse and fix the new text, again while that changes anything."""
    waiting = _Waiting(item.finding for item in first.deferred)
    for _ in range(_MAX_PASSES):
        with analyser.resolver.overlay(rewrite.current):
            analysis = analyser.python(rewrite.current)
        fixed = fix_python(rewrite.current, analysis.diagnoses)
        if not fixed.applied:
            settled = (item.finding for item in analysis.diagnoses if _is_provisional(item))
            rewrite.findings.extend(map(rewrite.at_origin, settled))
            break
        for diagnosis in fixed.applied:
            finding = rewrite.at_origin(diagnosis.finding)
            if not waiting.settle(finding):
                rewrite.findings.append(finding)
        rewrite.take(fixed)
    left = Counter(waiting.left())
    within = _Ranges(rewrite.removed)
    findings: list[Finding] = []
    for finding in rewrite.findings:
        if not left[finding]:
            findings.append(finding)
            continue
        left[finding] -= 1
        if not within.cover(finding, rewrite.original.source):
            # else it went with something larger, which has its own finding
            findings.append(not_applied(finding, "another change took its place"))
    rewrite.findings = findings


def _last_pass(analyser: Analyser, rewrite: _Rewrite) -> None:
    """Run the rules that come last, on the result of all others."""
    with analyser.resolver.overlay(rewrite.current):
        analysis = analyser.python(rewrite.current, last=True)
    fixed = fix_python(rewrite.current, analysis.diagnoses)
    rewrite.findings.extend(map(rewrite.at_origin, _findings(analysis, fixed)))
    rewrite.take(fixed)


class _Ranges:
    """Ranges of a text; tells whether one of them contains a finding."""

    def __init__(self, ranges: list[tuple[int, int]]) -> None:
        ordered = sorted(ranges)
        self._starts = [start for start, _ in ordered]
        self._reach = list(accumulate((end for _, end in ordered), max))
        """How far the ranges up to each one go."""

    def cover(self, finding: Finding, source: SourceText) -> bool:
        """Whether one range holds all that a finding points at."""
        span = finding.span
        start = source.line_starts[span.line - 1] + span.column - 1
        end = source.line_starts[span.end_line - 1] + span.end_column - 1
        number = bisect_right(self._starts, start)
        return number > 0 and end <= self._reach[number - 1]


class _Waiting:
    """Findings whose fixes wait for another pass, by rule and line."""

    def __init__(self, findings: Iterable[Finding]) -> None:
        self._findings = dict(enumerate(findings))
        self._places: dict[str, list[tuple[int, int]]] = {}
        for number, finding in self._findings.items():
            self._places.setdefault(finding.code, []).append((finding.span.line, number))
        for places in self._places.values():
            places.sort()

    def settle(self, finding: Finding) -> bool:
        """Remove the finding that was waiting for this fix: of the same rule, the nearest."""
        places, line = self._places.get(finding.code, []), finding.span.line
        if not places:
            return False
        after = bisect_left(places, (line, -1))
        candidates = list(range(after, min(after + 1, len(places))))
        if after:
            # of several on the line before, the first
            candidates.append(bisect_left(places, (places[after - 1][0], -1)))
        found = min(candidates, key=lambda at: (abs(places[at][0] - line), places[at][1]))
        del self._findings[places.pop(found)[1]]
        return True

    def left(self) -> Iterable[Finding]:
        """The findings that still wait, in the order they were found."""
        return self._findings.values()


def _findings(analysis: Analysis, fixed: Fixed) -> list[Finding]:
    """The findings of one pass, each with the outcome of its fix."""
    broken = {id(item) for item in fixed.broken}
    left_out = {id(item) for item in (*fixed.moot, *_unsettled(analysis, fixed))}
    return [
        not_applied(item.finding, "the result would not have been valid Python")
        if id(item) in broken
        else item.finding
        for item in analysis.diagnoses
        if id(item) not in left_out
    ]


def _unsettled(analysis: Analysis, fixed: Fixed) -> list[Diagnosis]:
    """Diagnoses that are certain only after another look at the rewritten text."""
    return [item for item in analysis.diagnoses if fixed.applied and _is_provisional(item)]


def _is_provisional(diagnosis: Diagnosis) -> bool:
    return diagnosis.fix is not None and diagnosis.fix.provisional
