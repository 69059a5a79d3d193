"""The report: everything a run learned, in the order people need it."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property

from ascendify.findings import Effort, Finding, RuleInfo, Status

_HOURS = {Effort.NONE: 0.0, Effort.MINUTES: 0.25, Effort.HOURS: 3.0, Effort.REWRITE: 24.0}
_REPEAT = 0.2
"""The same fix a second time costs a fifth: the thinking is done."""
_HALF_LIFE_HOURS = 16.0
"""Readiness halves with every two working days of effort left."""
_BLOCKED_CAP = 49
"""With a blocker the project does not run, so it never counts as half ready."""


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
class FileEntry:
    """One file: what was done and, where it changed, both texts."""

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


@dataclass(frozen=True)
class Place:
    """Where an API is used."""

    path: str
    line: int


@dataclass(frozen=True)
class ApiUse:
    """One framework API the project uses and what the platform says about it."""

    api: str
    support: str
    """Effective status of the catalogue: supported, tool, unsupported, manual, ..."""
    vendor: str
    """The vendor's own status, which may differ."""
    note: str
    count: int
    places: tuple[Place, ...] = ()
    """The first few places."""


@dataclass(frozen=True)
class Report:
    """The result of one run of ``check`` or ``migrate``."""

    command: str
    """``check`` or ``migrate``."""
    version: str
    root: str
    output: str | None
    """Where the migrated project was written, None for a dry run."""
    files: tuple[FileEntry, ...]
    findings: tuple[Finding, ...]
    apis: tuple[ApiUse, ...] = ()
    rules: dict[str, RuleInfo] = field(default_factory=dict)
    """Every rule named by a finding."""
    catalog_version: str = ""
    """The vendor release the support verdicts were taken from."""

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
    def hours_left(self) -> float:
        """Estimated hours of a person's work; repeats of one rule cost a fifth."""
        hours = 0.0
        seen: set[tuple[str, Effort]] = set()
        for finding in self.findings:
            kind = (finding.code, finding.effort)
            hours += _HOURS[finding.effort] * (_REPEAT if kind in seen else 1.0)
            seen.add(kind)
        return hours

    @cached_property
    def effort(self) -> Effort:
        """The largest effort any finding still asks for."""
        return max(
            (finding.effort for finding in self.findings),
            key=lambda effort: effort.rank,
            default=Effort.NONE,
        )

    @cached_property
    def readiness(self) -> int:
        """0 to 100: 100 when nothing is left, halved by every two working days of effort left."""
        score = int(100 * 0.5 ** (self.hours_left / _HALF_LIFE_HOURS))
        return min(score, _BLOCKED_CAP) if self.by_status[Status.BLOCKER] else score
