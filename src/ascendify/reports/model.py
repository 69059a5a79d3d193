"""The report of a run: files, findings and APIs, with counts and reading order."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from ascendify.findings import Effort, Finding, RuleInfo, Status, Stop
from ascendify.source.reads import Reads

_HOURS = {Effort.NONE: 0.0, Effort.MINUTES: 0.25, Effort.HOURS: 3.0, Effort.REWRITE: 24.0}
_REPEAT = 0.2
"""Effort of the same fix at a second place: a fifth, because the thinking is done."""
_HALF_LIFE_HOURS = 16.0
"""Readiness halves with every two working days of effort left."""
_UNREADABLE = "unreadable files"
"""The name of the effort for unreadable files, instead of a rule's code."""
_BLOCKED_CAP = 49
"""The highest readiness of a project with a blocker, or with a file that cannot be imported."""
_STRICT_CAP = 90
"""The highest readiness of a project that a strict run stops as long as nothing is done."""
_SUPPORT_ORDER = (
    "unsupported",
    "manual",
    "tool_train",
    "analysing",
    "unknown",
    "deprecated",
    "na",
    "partial",
    "harmless",
    "tool",
    "supported",
)
"""The catalogue's effective statuses, worst first; an unknown one counts as ``na``."""
_CARE_FREE = frozenset({"partial", "harmless", "tool", "supported"})
"""Statuses with nothing to do: the API works, is rewritten, or does not matter.

``partial`` (verified for some data types) is one of them: rules report limits that matter.
"""


class Section(str, enum.Enum):
    """The section of a report that a finding belongs to, in reading order."""

    BLOCKERS = "blockers"
    DECISIONS = "decisions"
    """A person must act or judge: manual, auto-check, and whatever is only possible."""
    DONE = "done"
    """Rewritten, nothing left."""
    NOTES = "notes"
    """Worth knowing."""

    @property
    def rank(self) -> int:
        """Position in reading order, blockers first."""
        return list(Section).index(self)


def section_of(finding: Finding) -> Section:
    """The section of the report that a finding belongs to."""
    if finding.status is Status.BLOCKER:
        return Section.BLOCKERS
    if finding.status is Status.INFO:
        return Section.NOTES
    if finding.possible or finding.status is not Status.AUTO:
        return Section.DECISIONS
    return Section.DONE


class FileAction(str, enum.Enum):
    """What happened to one file of the project."""

    CHANGED = "changed"
    UNCHANGED = "unchanged"
    """Analysed, nothing to rewrite."""
    COPIED = "copied"
    """Not a source file we read, or one that mentions no framework."""
    UNREADABLE = "unreadable"
    """Could not be parsed or decoded; copied byte for byte and reported."""
    ADDED = "added"
    """Generated beside the user's files."""


@dataclass(frozen=True)
class Mention:
    """A line that still mentions CUDA or its libraries after the migration, and why."""

    path: str
    line: int
    """In the migrated file."""
    text: str
    """The line, or the beginning of a long one."""
    reason: str
    """What was found there, or what the word is: a comment, a name of the project's own ..."""
    code: str = ""
    """The rule of the finding about it; empty without one."""
    cell: int | None = None
    """Index of the notebook cell the line counts in, None outside notebooks."""
    lines: int = 1
    """How many lines it stands for: a file that is not rewritten has one entry."""


@dataclass(frozen=True)
class FileResult:
    """One file: what was done, what was found and, if it changed, the text before and after."""

    path: str
    action: FileAction
    before: str | None = None
    """Original text; only for changed files."""
    after: str | None = None
    """Migrated text; only for changed and added files."""
    reason: str = ""
    """Why it was unreadable, empty otherwise."""
    migrated: bool = False
    """True when the file already used the NPU API before this run."""
    line: int | None = None
    """The line at which reading stopped, for an unreadable file where that is known."""
    encoding: str = "utf-8"
    """The codec between the texts and the file's bytes; ``utf-8-sig`` where it starts with a
    byte order mark that the texts leave out."""
    findings: tuple[Finding, ...] = ()
    """What rules found in it; a report has the findings of all files in its own order."""
    apis: dict[str, list[int]] = field(default_factory=dict, hash=False)
    """Framework names it mentions and the lines it does so."""
    mentions: tuple[Mention, ...] = ()
    """Lines that still mention CUDA."""
    reads: Reads | None = field(default=None, compare=False, repr=False)
    """What of the project was looked at for it, None where the result is not to be used again."""

    @property
    def content(self) -> bytes:
        """What the file holds after the run, for one that was changed or added."""
        return (self.after or "").encode(self.encoding)


@dataclass(frozen=True)
class Place:
    """Where an API is used."""

    path: str
    line: int


@dataclass(frozen=True)
class ApiUse:
    """A framework API that the project uses, with its verdict."""

    api: str
    support: str
    """Effective status of the catalogue: supported, tool, unsupported, manual, ..."""
    vendor: str
    """The vendor's own status, which may differ from ours."""
    note: str
    count: int
    places: tuple[Place, ...] = ()
    """The first few places."""

    @property
    def needs_care(self) -> bool:
        """Whether the catalogue cannot promise that this API works or may be ignored."""
        return self.support not in _CARE_FREE

    @property
    def sort_key(self) -> tuple[int, int, str]:
        """Worst support first, then the most used, then by name."""
        support = self.support if self.support in _SUPPORT_ORDER else "na"
        return (_SUPPORT_ORDER.index(support), -self.count, self.api)


def _hours(effort: Effort, causes: int, places: int) -> float:
    """Hours of work for so many causes, which stand in so many places."""
    minutes = min(_HOURS[effort], _HOURS[Effort.MINUTES])
    others = _HOURS[effort] * (causes - 1) + minutes * (places - causes)
    return _HOURS[effort] + _REPEAT * others


@dataclass(frozen=True)
class EffortReason:
    """What one rule adds to the effort left."""

    code: str
    effort: Effort
    count: int
    hours: float


@dataclass(frozen=True)
class Group:
    """The findings of one rule that the report shows together."""

    code: str
    title: str
    status: Status
    section: Section
    possible: bool
    findings: tuple[Finding, ...]

    @property
    def count(self) -> int:
        """How many findings."""
        return len(self.findings)

    @property
    def unlisted(self) -> int:
        """How many places are only counted."""
        return sum(finding.unlisted for finding in self.findings)

    @property
    def places(self) -> int:
        """The number of places, those of one cause included."""
        return sum(finding.places for finding in self.findings)

    @property
    def files(self) -> int:
        """In how many files."""
        return len({path for finding in self.findings for path in finding.paths})

    @property
    def sort_key(self) -> tuple[int, bool, int, int, int, str]:
        """In reading order: certain before possible, most effort and most places first."""
        effort = max(effort.rank for finding in self.findings for effort in finding.efforts)
        return (
            self.section.rank,
            self.possible,
            self.status.rank,
            -effort,
            -self.places,
            self.code,
        )


@dataclass(frozen=True)
class Report:
    """The result of ``check`` or ``migrate``, or what ``run`` and ``verify`` observed."""

    command: str
    """``check``, ``migrate``, ``run`` or ``verify``."""
    version: str
    root: str
    output: str | None
    """Where the migrated project was written, None for a dry run."""
    files: tuple[FileResult, ...]
    """The files that were read; none for the report of a run."""
    findings: tuple[Finding, ...]
    apis: tuple[ApiUse, ...] = ()
    rules: dict[str, RuleInfo] = field(default_factory=dict)
    """Every rule named by a finding."""
    catalog_version: str = ""
    """The vendor release the support verdicts were taken from."""
    target: str = ""
    """The releases of the frameworks that were migrated for, and why; empty without any."""
    offer: str = ""
    """What another option of the command would add, in one line; empty where there is none."""
    mentions: tuple[Mention, ...] = ()
    """Every line that still mentions CUDA after the migration, by file."""
    seen: str = ""
    """In the report of a run: the text of what was observed.

    Such a report has no readiness, because it does not cover code that did not run."""

    @cached_property
    def ordered(self) -> tuple[Finding, ...]:
        """Findings with blockers first, then by place."""
        return tuple(sorted(self.findings, key=lambda finding: finding.sort_key))

    @cached_property
    def by_status(self) -> dict[Status, int]:
        """How many findings of each status, every status present."""
        counts = Counter(finding.status for finding in self.findings)
        return {status: counts[status] for status in Status}

    @cached_property
    def by_stop(self) -> dict[Stop, int]:
        """How many certain findings stop the program when, every kind present."""
        counts = Counter(finding.stops for finding in self.findings if not finding.possible)
        return {stop: counts[stop] for stop in Stop}

    @cached_property
    def by_code(self) -> dict[str, int]:
        """How many findings of each rule, most frequent first."""
        return dict(Counter(finding.code for finding in self.findings).most_common())

    @cached_property
    def by_action(self) -> dict[FileAction, int]:
        """How many files of each action, every action present."""
        counts = Counter(entry.action for entry in self.files)
        return {action: counts[action] for action in FileAction}

    @cached_property
    def by_support(self) -> dict[str, int]:
        """How many distinct APIs of each support status, most frequent first."""
        return dict(Counter(use.support for use in self.apis).most_common())

    @cached_property
    def by_section(self) -> dict[Section, int]:
        """How many findings each section has, every section present."""
        counts = Counter(section_of(finding) for finding in self.findings)
        return {section: counts[section] for section in Section}

    @cached_property
    def by_path(self) -> dict[str, int]:
        """How many places of findings each file has, in the order of the paths."""
        counts = Counter(path for finding in self.findings for path in finding.paths)
        for finding in self.findings:
            counts[finding.path] += finding.unlisted
        return dict(sorted(counts.items()))

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Findings by rule, in reading order."""
        members: dict[tuple[Section, bool, Status, str], list[Finding]] = {}
        for finding in self.ordered:
            key = (section_of(finding), finding.possible, finding.status, finding.code)
            members.setdefault(key, []).append(finding)
        groups = (
            Group(code, self.rule(code).title, status, section, possible, tuple(findings))
            for (section, possible, status, code), findings in members.items()
        )
        return tuple(sorted(groups, key=lambda group: group.sort_key))

    @cached_property
    def analysed(self) -> int:
        """How many files were analysed."""
        return self.by_action[FileAction.CHANGED] + self.by_action[FileAction.UNCHANGED]

    @cached_property
    def already_migrated(self) -> int:
        """How many files used the NPU API before this run."""
        return sum(entry.migrated for entry in self.files)

    @cached_property
    def unreadable(self) -> tuple[FileResult, ...]:
        """The files that could not be read, by path."""
        entries = (entry for entry in self.files if entry.action is FileAction.UNREADABLE)
        return tuple(sorted(entries, key=lambda entry: entry.path))

    @cached_property
    def rewritten_files(self) -> tuple[FileResult, ...]:
        """The files that this run creates or changes, by path."""
        entries = (entry for entry in self.files if entry.after is not None)
        return tuple(sorted(entries, key=lambda entry: entry.path))

    @cached_property
    def ordered_apis(self) -> tuple[ApiUse, ...]:
        """The APIs, worst support first."""
        return tuple(sorted(self.apis, key=lambda use: use.sort_key))

    @cached_property
    def effort_reasons(self) -> tuple[EffortReason, ...]:
        """What the effort left consists of, most hours first.

        Repeats of a rule cost a fifth, and further places of one cause a fifth of some minutes.
        """
        counts: Counter[tuple[str, Effort]] = Counter()
        causes: Counter[tuple[str, Effort]] = Counter()
        for finding in self.findings:
            causes.update((finding.code, effort) for effort in set(finding.efforts))
            for effort in finding.efforts:
                if effort is not Effort.NONE:
                    counts[finding.code, effort] += 1
            if finding.effort is not Effort.NONE:
                counts[finding.code, finding.effort] += finding.unlisted
                causes[finding.code, finding.effort] += finding.unlisted
        if self.unreadable:
            # what they contain is not known before a person has repaired them
            counts[_UNREADABLE, Effort.HOURS] = len(self.unreadable)
            causes[_UNREADABLE, Effort.HOURS] = len(self.unreadable)
        reasons = (
            EffortReason(code, effort, count, _hours(effort, causes[code, effort], count))
            for (code, effort), count in counts.items()
        )
        return tuple(sorted(reasons, key=lambda reason: (-reason.hours, reason.code)))

    @cached_property
    def hours_left(self) -> float:
        """Estimated hours of a person's work, to the hundredth."""
        return round(sum(reason.hours for reason in self.effort_reasons), 2)

    @cached_property
    def effort(self) -> Effort:
        """The largest effort of a finding that a person must act on."""
        return max(
            (reason.effort for reason in self.effort_reasons),
            key=lambda effort: effort.rank,
            default=Effort.NONE,
        )

    @cached_property
    def readiness(self) -> int:
        """0 to 100: 100 when nothing is left, halved by every two working days of effort left."""
        score = int(100 * 0.5 ** (self.hours_left / _HALF_LIFE_HOURS))
        if self.by_status[Status.BLOCKER] or self.by_stop[Stop.IMPORT]:
            return min(score, _BLOCKED_CAP)
        return min(score, _STRICT_CAP) if self.stops_strict_run else score

    @cached_property
    def stops_strict_run(self) -> bool:
        """Whether ``run --strict`` stops at something that no person has acted on yet."""
        return self.by_stop[Stop.STEP] > 0 or any(
            finding.status is Status.MANUAL and self.rule(finding.code).foretells
            for finding in self.findings
        )

    def rule(self, code: str) -> RuleInfo:
        """Facts about a rule; for an unknown rule, its code."""
        return self.rules.get(code, RuleInfo(code=code, title=code, why=""))
