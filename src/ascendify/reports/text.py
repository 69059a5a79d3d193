"""Render a report as text for people, in a terminal or a plain file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ascendify.findings import Effort, Finding, Status, Stop
from ascendify.reports import wording
from ascendify.reports.model import ApiUse, FileAction, Group, Mention, Report, Section

if TYPE_CHECKING:
    from rich.console import Console

QUIET = -1
"""Verbosity that prints only the number of blockers and manual findings, and the effort."""

_PLACES = 5
"""How many places of one rule are shown before the rest is only counted."""
_APIS = 15
"""How many lines of APIs are shown before the rest is only counted."""
_MANY = 4
"""From this number on, APIs with the same verdict and reason share a line."""
_NAMES = 6
"""How many APIs such a line lists."""
_REASONS = 4
"""How many rules are named with the effort left."""
_BAR = 20
_LABEL = 10
"""Columns of the labels in the summary."""
_NARROWEST = 20
"""The least number of columns of a line, however narrow the terminal is."""

_STYLE = {
    Status.BLOCKER: "bold red",
    Status.MANUAL: "bold yellow",
    Status.AUTO_CHECK: "magenta",
    Status.AUTO: "green",
    Status.INFO: "blue",
}
_STOPS = {
    Stop.IMPORT: " (stops the program at import)",
    Stop.STEP: " (stops the program by the first step)",
    Stop.NEVER: "",
}
_HEADING = {
    Section.BLOCKERS: "Blockers",
    Section.DECISIONS: "Needs a decision",
    Section.DONE: "Done",
    Section.NOTES: "Worth knowing",
}
_PROPOSED = "Will be rewritten"
"""The heading of rewrites in a run that writes no files."""


@dataclass(frozen=True)
class Line:
    """One line of the report, before any wrapping: styled pieces of text."""

    parts: tuple[tuple[str, str], ...] = ()
    """Text and the style a terminal shows it in."""
    indent: int = 0
    hang: int = 2
    """How many columns more the later rows of a wrapped line are indented."""

    @property
    def plain(self) -> str:
        """The line without styles, for a file."""
        return (" " * self.indent + "".join(text for text, _ in self.parts)).rstrip()


def render(
    report: Report,
    console: Console,
    verbosity: int = 0,
    *,
    statistics: bool = False,
) -> None:
    """Print the report on a console: coloured and wrapped on a terminal, plain lines elsewhere."""
    unicode = console.encoding.lower().startswith("utf")
    lines = (
        statistics_lines(report) if statistics else report_lines(report, verbosity, unicode=unicode)
    )
    _print(lines, console, wrap=console.is_terminal)


def to_text(
    report: Report,
    verbosity: int = 0,
    *,
    width: int | None = None,
    statistics: bool = False,
) -> str:
    """Render the report without colours; lines are wrapped only where a width is given."""
    lines = statistics_lines(report) if statistics else report_lines(report, verbosity)
    if width is None:
        return "".join(f"{line.plain}\n" for line in lines)
    from io import StringIO  # noqa: PLC0415 - beside the import that needs it

    from rich.console import Console  # noqa: PLC0415 - costly, and most formats do without

    page = StringIO()
    _print(lines, Console(file=page, width=width, color_system=None), wrap=True)
    return page.getvalue()


def report_lines(report: Report, verbosity: int = 0, *, unicode: bool = True) -> Iterator[Line]:
    """Render the whole report, line by line.

    Args:
        report: The report to render.
        verbosity: :data:`QUIET`, 0, or 1 to list every place.
        unicode: Whether the bar may be drawn in block characters.
    """
    if verbosity <= QUIET:
        yield from _summary(report)
        return
    full = verbosity > 0
    yield from _headline(report, unicode=unicode)
    for section in (Section.BLOCKERS, Section.DECISIONS):
        yield from _findings(report, section, full=full)
    yield from _brief(report, Section.DONE, full=full)
    yield from _brief(report, Section.NOTES, full=full)
    yield from _mentions(report, full=full)
    yield from _apis(report, full=full)
    yield from _unreadable(report)
    yield from _next(report)


def statistics_lines(report: Report) -> Iterator[Line]:
    """One row for each rule: code, title, status, count."""
    if not report.groups:
        yield Line((("No findings.", "green"),))
        return
    rows = [("code", "title", "status", "count")]
    rows += [
        (group.code, wording.one_line(group.title), wording.kind(group), str(group.count))
        for group in report.groups
    ]
    rows.append(("total", "", "", str(len(report.findings))))
    wide = [max(len(row[column]) for row in rows) for column in range(4)]
    styles = ["bold", *(_STYLE[group.status] for group in report.groups), "bold"]
    for (code, title, kind, count), style in zip(rows, styles):
        yield Line(
            (
                (f"{code:{wide[0]}}  ", style),
                (f"{title:{wide[1]}}  ", ""),
                (f"{kind:{wide[2]}}  ", style),
                (f"{count:>{wide[3]}}", "bold"),
            )
        )


def _print(lines: Iterable[Line], console: Console, *, wrap: bool) -> None:
    from rich.text import Text  # noqa: PLC0415 - costly, and most formats do without

    for line in lines:
        text = Text.assemble(*((_encodable(part, console), style) for part, style in line.parts))
        room = max(console.width - line.indent - line.hang, _NARROWEST)
        rows = text.wrap(console, room, overflow="fold") if wrap and text.plain else [text]
        for number, row in enumerate(rows):
            row.rstrip()
            margin = " " * (line.indent + (line.hang if number else 0)) if row.plain else ""
            console.print(Text(margin) + row, soft_wrap=True)


def _encodable(text: str, console: Console) -> str:
    """Escape characters that the console's encoding lacks, rather than fail."""
    return text.encode(console.encoding, "backslashreplace").decode(console.encoding)


def _summary(report: Report) -> Iterator[Line]:
    """Two lines for a log: blockers and manual findings, readiness and effort."""
    blockers, manual = report.by_status[Status.BLOCKER], report.by_status[Status.MANUAL]
    yield Line(
        (
            (wording.plural(blockers, "blocker"), _STYLE[Status.BLOCKER] if blockers else ""),
            (", ", ""),
            (f"{manual} to do by hand", _STYLE[Status.MANUAL] if manual else ""),
        )
    )
    unreadable = (
        f", {wording.plural(len(report.unreadable), 'unreadable file')}"
        if report.unreadable
        else ""
    )
    yield Line(((wording.standing(report), ""), (unreadable, "red")))


def _headline(report: Report, *, unicode: bool) -> Iterator[Line]:
    target = "" if report.output is None else f" -> {wording.printable(report.output)}"
    yield Line(
        (
            (f"ascendify {report.command} ", "bold"),
            (wording.printable(report.root), "bold cyan"),
            (target, "cyan"),
        )
    )
    if report.target:
        yield _fact("Target", (wording.printable(report.target), ""))
    if report.files:
        yield _fact("Files", (", ".join(_file_counts(report)), ""))
    yield _fact("Findings", (", ".join(wording.tally(report)) or "none", ""))
    if stops := _stops(report):
        yield _fact("Stops", (stops, "bold red"))
    if report.seen:
        yield _fact("Seen", (report.seen, ""))
    else:
        judged = wording.is_judged(report)
        yield _readiness(report, unicode=unicode) if judged else _fact("Readiness", ("unknown", ""))
    reasons = wording.effort_reasons(report)
    listed = ", ".join(reasons[:_REASONS])
    if len(reasons) > _REASONS:
        listed += f" and {wording.plural(len(reasons) - _REASONS, 'more rule')}"
    yield _fact(
        "Effort", (wording.effort(report), "bold"), (f" left: {listed}" if listed else "", "")
    )
    if report.offer:
        yield _fact("Devices", (wording.printable(report.offer), ""))


def _stops(report: Report) -> str:
    """How many findings stop the program, and when; empty without any."""
    counts = report.by_stop
    parts = [
        f"{counts[stop]} {when}"
        for stop, when in ((Stop.IMPORT, "at import"), (Stop.STEP, "by the first step"))
        if counts[stop]
    ]
    return ", ".join(parts)


def _readiness(report: Report, *, unicode: bool) -> Line:
    filled = report.readiness * _BAR // 100
    block, empty = ("█", "░") if unicode else ("#", ".")
    return _fact(
        "Readiness",
        (block * filled, _score_style(report)),
        (empty * (_BAR - filled), "dim"),
        (f" {report.readiness}/100", f"bold {_score_style(report)}"),
    )


def _file_counts(report: Report) -> list[str]:
    actions = report.by_action
    changed = "to change" if report.output is None else "changed"
    files = [f"{actions[FileAction.CHANGED]} {changed} of {report.analysed} analysed"]
    files += [
        f"{actions[action]} {action.value}"
        for action in (FileAction.ADDED, FileAction.COPIED, FileAction.UNREADABLE)
        if actions[action]
    ]
    if report.already_migrated:
        files.append(f"{report.already_migrated} already migrated")
    return files


def _fact(name: str, *parts: tuple[str, str]) -> Line:
    return Line(((f"{name:<{_LABEL}}", "dim"), *parts), hang=_LABEL)


def _score_style(report: Report) -> str:
    if report.by_status[Status.BLOCKER]:
        return "red"
    return "green" if report.effort is Effort.NONE else "yellow"


def _heading(title: str, count: int | str, style: str) -> Iterator[Line]:
    yield Line()
    yield Line(((title, f"bold underline {style}".strip()), (f" ({count})", "dim")))


def _findings(report: Report, section: Section, *, full: bool) -> Iterator[Line]:
    """The section of blockers or of decisions: rule, first places, what was done, what to do."""
    groups = [group for group in report.groups if group.section is section]
    if not groups:
        return
    style = "red" if section is Section.BLOCKERS else "yellow"
    yield from _heading(_HEADING[section], report.by_section[section], style)
    for group in groups:
        yield _title(group)
        yield from _places(group, report, full=full)


def _brief(report: Report, section: Section, *, full: bool) -> Iterator[Line]:
    """Rewrites or notes: a line for each rule, and the places on request."""
    groups = [group for group in report.groups if group.section is section]
    if not groups:
        return
    proposed = section is Section.DONE and report.output is None
    heading = _PROPOSED if proposed else _HEADING[section]
    style = "green" if section is Section.DONE else "blue"
    yield from _heading(heading, report.by_section[section], style)
    for group in groups:
        yield _title(group)
        if full:
            yield from _places(group, report, full=True)
    if not full:
        yield Line((("-v shows the places", "dim"),), indent=2)


def _title(group: Group) -> Line:
    files = wording.plural(group.files, "file")
    repeats = f" x{group.places} in {files}" if group.places > 1 else ""
    return Line(
        (
            (wording.kind(group), _STYLE[group.status]),
            (f" {group.code}", "bold"),
            (f" {wording.one_line(group.title)}" if group.title != group.code else "", ""),
            (repeats, "dim"),
        ),
        indent=2,
    )


def _places(group: Group, report: Report, *, full: bool) -> Iterator[Line]:
    shown = group.findings if full else group.findings[:_PLACES]
    for number, finding in enumerate(shown):
        yield from _place(finding, full=full)
        following = shown[number + 1] if number + 1 < len(shown) else None
        # The same advice under every place would bury the places: it follows the last of a run.
        if following is None or _advice(following) != _advice(finding):
            yield from _advice_lines(finding, report)
    hidden = group.count - len(shown)
    if hidden:
        yield Line(((f"... and {hidden} more (-v shows all)", "dim"),), indent=4)


def _place(finding: Finding, *, full: bool) -> Iterator[Line]:
    """The place of a finding and the others of its cause; ``full``: what was found at each."""
    yield Line(
        (
            (wording.place(finding), "cyan"),
            (f" {finding.code} ", _STYLE[finding.status]),
            ("possible: " if finding.possible else "", "italic"),
            (wording.one_line(finding.found), ""),
            (_STOPS[finding.stops], "bold"),
        ),
        indent=4,
    )
    if not full and finding.also:
        others = wording.other_places(finding, _PLACES)
        yield Line((("also at: ", "dim"), (others, "cyan")), indent=6)
        return
    for item in finding.also:
        found = wording.one_line(item.found)
        yield Line(((wording.place(item), "cyan"), (f" also: {found}", "")), indent=6)
        if item.todo:
            yield Line((("to do:", "yellow"), (f" {wording.one_line(item.todo)}", "")), indent=8)


def _advice(finding: Finding) -> tuple[str, str]:
    return finding.done, finding.todo


def _advice_lines(finding: Finding, report: Report) -> Iterator[Line]:
    done = f"{wording.done_label(report)}:"
    for label, text, style in ((done, finding.done, "green"), ("to do:", finding.todo, "yellow")):
        rows = [wording.printable(row.rstrip()) for row in text.strip().split("\n")]
        for number, row in enumerate(rows if text.strip() else ()):
            if number == 0:
                yield Line(((label, style), (f" {row}", "")), indent=6)
            else:
                yield Line(((row, ""),), indent=8)


def _mentions(report: Report, *, full: bool) -> Iterator[Line]:
    """What still mentions CUDA after the migration, by reason, what has a finding first."""
    if not report.mentions:
        return
    count = wording.plural(sum(item.lines for item in report.mentions), "line")
    yield from _heading("Still mentions CUDA after the migration", count, "")
    groups: dict[str, list[Mention]] = {}
    for item in report.mentions:
        groups.setdefault("a finding above" if item.code else item.reason, []).append(item)
    for reason, items in sorted(groups.items(), key=lambda group: not group[1][0].code):
        lines = wording.plural(sum(item.lines for item in items), "line")
        yield Line((((reason), "bold"), (f" ({lines})", "dim")), indent=2)
        if full:
            for item in items:
                said = item.reason if item.code else item.text
                where, what = wording.mention(item), wording.one_line(said)
                yield Line(
                    ((where, "cyan"), (f" {item.code} {what}".replace("  ", " "), "")), indent=4
                )
            continue
        places = ", ".join(wording.mention(item) for item in items[:_PLACES])
        more = f" and {len(items) - _PLACES} more (-v shows all)" if len(items) > _PLACES else ""
        yield Line(((places, "cyan"), (more, "dim")), indent=4)


def _apis(report: Report, *, full: bool) -> Iterator[Line]:
    if not report.apis:
        return
    yield from _heading("APIs", f"{len(report.apis)} distinct", "")
    counts = ", ".join(
        f"{count} {wording.support(support)}" for support, count in report.by_support.items()
    )
    source = f" (verdicts of {report.catalog_version})" if report.catalog_version else ""
    yield Line(((counts, ""), (source, "dim")), indent=2)
    in_question = [use for use in report.ordered_apis if use.needs_care]
    groups = [[use] for use in in_question] if full else _alike(in_question)
    shown = groups if full else groups[:_APIS]
    yield from map(_api_line, shown)
    hidden = sum(len(group) for group in groups[len(shown) :])
    if hidden:
        yield Line(((f"... and {hidden} more (-v shows all)", "dim"),), indent=4)


def _alike(uses: list[ApiUse]) -> list[list[ApiUse]]:
    """Group APIs with the same verdict and reason, if there are many."""
    groups: dict[tuple[str, str], list[ApiUse]] = {}
    for use in uses:
        groups.setdefault((use.support, use.note), []).append(use)
    lines: list[list[ApiUse]] = []
    for group in groups.values():
        lines.extend([group] if len(group) >= _MANY else ([use] for use in group))
    return lines


def _api_line(uses: list[ApiUse]) -> Line:
    """APIs with one verdict for one reason; the places only where it is a single one."""
    first, single = uses[0], len(uses) == 1
    names = ", ".join(f"{use.api} x{use.count}" for use in uses[:_NAMES])
    more = f" and {len(uses) - _NAMES} more (-v shows all)" if len(uses) > _NAMES else ""
    places = ", ".join(f"{wording.printable(place.path)}:{place.line}" for place in first.places)
    return Line(
        (
            (wording.support(first.support), "red" if first.support == "unsupported" else "yellow"),
            (f" {first.api if single else names}", "bold"),
            (f" x{first.count}" if single else more, "dim"),
            (f"{'' if single else ':'} {wording.one_line(first.note)}" if first.note else "", ""),
            (f" [{places}]" if single and places else "", "cyan"),
        ),
        indent=4,
    )


def _unreadable(report: Report) -> Iterator[Line]:
    if not report.unreadable:
        return
    yield from _heading("Could not be read", len(report.unreadable), "red")
    for entry in report.unreadable:
        yield Line(((wording.unreadable(entry), ""),), indent=2)


def _next(report: Report) -> Iterator[Line]:
    yield Line()
    yield Line((("What to do next", "bold underline"),))
    for number, step in enumerate(wording.next_steps(report), 1):
        yield Line(((f"{number}. ", "bold"), (step, "")), indent=2, hang=3)
