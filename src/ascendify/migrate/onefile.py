"""Take one file to its fixed point: analyse, fix, and again while fixes are in each other's way."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from ascendify.findings import Effort, Finding, Span, Status
from ascendify.migrate.analyse import Analyser, Analysis
from ascendify.migrate.fixing import Fixed, fix_python, fix_text
from ascendify.rules.rule import Diagnosis
from ascendify.rules.site import File, TextSite
from ascendify.source.edits import Edit, trace
from ascendify.source.module import Module
from ascendify.source.text import SourceText

_MAX_PASSES = 8
"""Far more than any file needs; reaching it means two rules undo each other's work."""


@dataclass
class Outcome:
    """One file after migration."""

    before: str
    after: str
    findings: list[Finding] = field(default_factory=list)
    apis: dict[str, list[int]] = field(default_factory=dict)

    @property
    def changed(self) -> bool:
        """Whether anything was rewritten."""
        return self.before != self.after


def migrate_python(analyser: Analyser, module: Module) -> Outcome:
    """Run the rules over a Python file until no fix is left."""
    analysis = analyser.python(module)
    fixed = fix_python(module, analysis.diagnoses)
    outcome = Outcome(module.source.text, fixed.text, apis=analysis.apis)
    outcome.findings = _findings(analysis, fixed)
    again = bool(fixed.deferred or _unsettled(analysis, fixed))
    has_last = analyser.has_last(File(module, analyser.resolver, analyser.facts))
    if not again and not has_last:
        return outcome
    project = analyser.resolver.project
    current, back = fixed.module or module, [trace(fixed.edits)]
    try:
        if again:
            current = _further_passes(analyser, module, fixed, outcome, back)
        if has_last:
            _last_pass(analyser, module, current, outcome, back)
    finally:
        # other files are analysed against what the user wrote, whatever the order
        project.put(module)
        if again:
            analyser.resolver.forget(module.path)
    return outcome


def migrate_text(analyser: Analyser, site: TextSite) -> Outcome:
    """Run the rules over a launch script or requirements file."""
    analysis = analyser.text(site)
    fixed = fix_text(site.text, analysis.diagnoses)
    outcome = Outcome(site.text, fixed.text, _findings(analysis, fixed))
    for _ in range(_MAX_PASSES):
        if not fixed.deferred:
            break
        again = analyser.text(replace(site, text=outcome.after))
        fixed = fix_text(outcome.after, again.diagnoses)
        outcome.after = fixed.text
    return outcome


def _last_pass(
    analyser: Analyser,
    module: Module,
    current: Module,
    outcome: Outcome,
    back: list[Callable[[int], int]],
) -> None:
    """Ask the rules that look at what all the others leave.

    They look at one file, so nothing other files were told about it has to be forgotten.
    """
    analyser.resolver.project.put(current)
    analysis = analyser.python(current, last=True)
    fixed = fix_python(current, analysis.diagnoses)
    outcome.after = fixed.text
    outcome.findings.extend(
        _at_origin(finding, current.source, module.source, back)
        for finding in _findings(analysis, fixed)
    )


def _further_passes(
    analyser: Analyser,
    module: Module,
    fixed: Fixed,
    outcome: Outcome,
    back: list[Callable[[int], int]],
) -> Module:
    """Look again while fixes are left; gives the module after the last of them."""
    source = module.source
    waiting = [item.finding for item in fixed.deferred]
    removed = _removed(fixed.edits, [])
    current = fixed.module or module
    for _ in range(_MAX_PASSES):
        text = current.source
        analyser.resolver.project.put(current)
        analyser.resolver.forget(module.path)
        analysis = analyser.python(current)
        step = fix_python(current, analysis.diagnoses)
        if not step.applied:
            settled = (item.finding for item in analysis.diagnoses if _is_provisional(item))
            outcome.findings.extend(_at_origin(item, text, source, back) for item in settled)
            break
        for diagnosis in step.applied:
            finding = _at_origin(diagnosis.finding, text, source, back)
            known = _nearest(finding, waiting)
            if known is None:
                outcome.findings.append(finding)
            else:
                waiting.remove(known)
        outcome.after = step.text
        current = step.module or current
        removed.extend(_removed(step.edits, back))
        back.append(trace(step.edits))
    for finding in waiting:
        if _is_within(finding, source, removed):
            # what it wanted to change went with something larger, which has its own finding
            outcome.findings.remove(finding)
            continue
        index = outcome.findings.index(finding)
        outcome.findings[index] = _not_applied(finding, "another change took its place")
    return current


def _removed(edits: list[Edit], back: list[Callable[[int], int]]) -> list[tuple[int, int]]:
    """Ranges of the user's text that edits take out as a whole."""
    return [
        (_original(edit.start, back), _original(edit.end, back))
        for edit in edits
        if edit.end > edit.start and edit.new.strip() in ("", "pass")
    ]


def _is_within(finding: Finding, source: SourceText, ranges: list[tuple[int, int]]) -> bool:
    span = finding.span
    start = source.line_starts[span.line - 1] + span.column - 1
    end = source.line_starts[span.end_line - 1] + span.end_column - 1
    return any(first <= start and end <= last for first, last in ranges)


def _nearest(finding: Finding, waiting: list[Finding]) -> Finding | None:
    """The finding that waited for this fix: the same rule's, nearest to its place."""
    same = [item for item in waiting if item.code == finding.code]
    return min(same, key=lambda item: abs(item.span.line - finding.span.line), default=None)


def _findings(analysis: Analysis, fixed: Fixed) -> list[Finding]:
    broken = {id(item) for item in fixed.broken}
    left_out = {id(item) for item in (*fixed.moot, *_unsettled(analysis, fixed))}
    return [
        _not_applied(item.finding, "the result would not have been valid Python")
        if id(item) in broken
        else item.finding
        for item in analysis.diagnoses
        if id(item) not in left_out
    ]


def _unsettled(analysis: Analysis, fixed: Fixed) -> list[Diagnosis]:
    """What can be said for certain only after another look at the rewritten text."""
    return [item for item in analysis.diagnoses if fixed.applied and _is_provisional(item)]


def _is_provisional(diagnosis: Diagnosis) -> bool:
    return diagnosis.fix is not None and diagnosis.fix.provisional


def _not_applied(finding: Finding, reason: str) -> Finding:
    return replace(
        finding,
        status=Status.MANUAL,
        effort=Effort.MINUTES,
        done="",
        todo=f"Left as it is, because {reason}. Meant was: {finding.done} {finding.todo}".rstrip(),
    )


def _at_origin(
    finding: Finding, text: SourceText, source: SourceText, back: list[Callable[[int], int]]
) -> Finding:
    """The finding with its span in the file the user wrote."""

    def original(line: int, column: int) -> tuple[int, int]:
        return source.position(_original(text.line_starts[line - 1] + column - 1, back))

    span = finding.span
    start = original(span.line, span.column)
    end = max(start, original(span.end_line, span.end_column))
    return replace(finding, span=Span(*start, *end))


def _original(offset: int, back: list[Callable[[int], int]]) -> int:
    """An offset of the text after some passes as one of the file the user wrote."""
    for step in reversed(back):
        offset = step(offset)
    return offset
