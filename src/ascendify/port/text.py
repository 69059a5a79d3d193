"""The last screen of ``ascendify port``: ready, or what stops it in the order to work on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from ascendify.port.session import PortResult
from ascendify.port.update import FileChange
from ascendify.reports import wording
from ascendify.reports.model import FileAction, Section

_SHOWN = 8
"""Items of a list; the report and the README have the others."""
_UPDATED = {
    FileChange.ADDED: "added",
    FileChange.UPDATED: "updated",
    FileChange.MERGED: "merged with your edits",
    FileChange.KEPT: "kept as you edited them",
    FileChange.REMOVED: "removed",
    FileChange.CONFLICT: "in conflict",
}
Line = tuple[str, str]
"""Text and its style."""


def render(result: PortResult, console: Console, *, verbose: bool = False) -> None:
    """Print the screen."""
    for text, style in _lines(result, verbose):
        console.print(Text(text, style=style), soft_wrap=True)


def _lines(result: PortResult, verbose: bool) -> Iterator[Line]:
    stops = list(_stops(result))
    yield from _headline(result, len(stops))
    if stops:
        yield "", ""
        yield "What stops it, in the order to work on it", "bold red"
        shown = stops if verbose else stops[:_SHOWN]
        for number, lines in enumerate(shown, 1):
            yield f"  {number}. {lines[0]}", ""
            for line in lines[1:]:
                yield f"     {line}", "dim"
        yield from _more(len(stops) - len(shown))
    if result.proofs:
        from ascendify.port import proof_text  # noqa: PLC0415 (loaded only with --verify)

        yield from proof_text.section(result)
    yield from _decisions(result, verbose)
    yield from _next(result, bool(stops))


def _headline(result: PortResult, stops: int) -> Iterator[Line]:
    request, report = result.request, result.report
    counts = result.generated.counts
    devices = " and ".join(map(str, counts)) + (" devices" if len(counts) > 1 else " device")
    if not stops:
        yield f"READY: {request.output}, for {devices}", "bold green"
    else:
        things = wording.plural(stops, "thing") + (" stops it" if stops == 1 else " stop it")
        yield f"NOT READY: {request.output}: {things}", "bold red"
    if result.changes:
        counted = Counter(change.change for change in result.changes)
        parts = [f"{counted[kind]} {words}" for kind, words in _UPDATED.items() if counted[kind]]
        yield f"  updated from {request.project}: {', '.join(parts)}", ""
    elif request.before is not None:
        yield f"  {request.project} has not changed since the last run", ""
    else:
        changed = report.by_action[FileAction.CHANGED]
        added = len(result.generated.files) - len(report.files)
        added += report.by_action[FileAction.ADDED]
        yield (
            f"  ported from {request.project}: {wording.plural(changed, 'file')} changed, "
            f"{added} added; score {result.score}/100",
            "",
        )


def _stops(result: PortResult) -> Iterator[list[str]]:
    """What must be done before the port can train: each a line, followed by details."""
    for change in result.conflicts:
        where = f"{change.path}:{change.line}" if change.line else change.path
        yield [f"{where}: {change.note}"]
    if result.failed:
        from ascendify.port import proof_text  # noqa: PLC0415 (loaded only with --verify)

        for proof in result.failed:
            yield proof_text.failed(proof, result.report)
    for entry in result.unreadable:
        yield [f"{wording.unreadable(entry)}"]
    if not result.generated.scaffolds:
        others = result.generated.programs.others
        found = ", ".join(f"{one.path} ({one.kind})" for one in others[:3])
        yield [
            "no program that trains was found" + (f": {found}" if found else ""),
            "name one with --program FILE",
        ]
    for finding in result.blockers:
        lines = [f"{wording.place(finding)}  {finding.code}  {finding.found}"]
        yield [*lines, finding.todo] if finding.todo else lines


def _decisions(result: PortResult, verbose: bool) -> Iterator[Line]:
    groups = [group for group in result.report.groups if group.section is Section.DECISIONS]
    notes = list(_notes(result))
    if not groups and not notes:
        return
    yield "", ""
    yield f"To look at ({wording.effort(result.report)})", "bold yellow"
    for note in notes:
        yield f"  {note}", ""
    shown = groups if verbose else groups[:_SHOWN]
    for group in shown:
        first = wording.place(group.findings[0])
        more = f" and {group.count - 1} more" if group.count > 1 else ""
        yield f"  {group.code}  {wording.one_line(group.title)}  ({first}{more})", ""
    yield from _more(len(groups) - len(shown))


def _notes(result: PortResult) -> Iterator[str]:
    """Notes about the launch scripts; findings are about the code."""
    made = result.generated
    if made.scaffolds and result.request.count not in made.counts:
        main = made.scaffolds[0].program.path
        yield (
            f"{main}: nothing averages gradients, so train_*_{result.request.count}p.sh would "
            "train a model of its own on each device"
        )
    for entry in result.report.unreadable:
        if entry not in result.unreadable:
            yield f"{wording.unreadable(entry)}; copied as it is, the training does without it"
    for one in result.blockers_elsewhere:
        yield (
            f"{wording.place(one)}  {one.code}  {one.found}: stops programs that run it; the "
            "training does without it"
        )
    for name in made.clashes:
        yield f"{name} is the project's own, and was kept; the generated one was left out"


def _more(hidden: int) -> Iterator[Line]:
    if hidden > 0:
        yield f"  ... and {hidden} more (-v shows all)", "dim"


def _next(result: PortResult, stopped: bool) -> Iterator[Line]:
    output = result.request.output
    yield "", ""
    yield "Next", "bold"
    if result.generated.scaffolds and not stopped:
        one = result.generated.scaffolds[0]
        data = " --data_path=FOLDER" if one.data is not None else ""
        for count in one.trained_counts:
            script = f"{output}/{one.folder}/train_full_{count}p.sh"
            yield f"  bash {script}{data}", ""
    if not result.proofs:
        yield (
            f"  ascendify verify {result.request.project} {output} -- python train.py ...  "
            "trains both here and compares",
            "",
        )
    yield f"  {output}/README_npu.md says how to run it, what was changed and what is left", ""
