"""Findings: what was found, where, what was changed and what is left to do.

Rules, the migration pipeline and the emulation create findings; reports render them. This module
knows no framework and imports nothing of ours.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace


class Status(str, enum.Enum):
    """What was done about a finding, in the order in which a report lists them."""

    BLOCKER = "blocker"
    """Cannot run on an NPU until a person redesigns it."""
    MANUAL = "manual"
    """A person must act; the finding says what to do."""
    AUTO_CHECK = "auto-check"
    """Rewritten, and the behaviour may differ in the way the finding says."""
    AUTO = "auto"
    """Rewritten without a change of behaviour."""
    INFO = "info"
    """Worth knowing; nothing must be done."""

    @property
    def rewrites(self) -> bool:
        """Whether a finding of this status comes with edits."""
        return self in (Status.AUTO, Status.AUTO_CHECK)

    @property
    def rank(self) -> int:
        """Position in reading order, blockers first."""
        return list(Status).index(self)


class Effort(str, enum.Enum):
    """How much work is left for a person."""

    NONE = "none"
    MINUTES = "minutes"
    HOURS = "hours"
    REWRITE = "rewrite"

    @property
    def rank(self) -> int:
        """0 for nothing, 3 for a rewrite."""
        return list(Effort).index(self)


class Stop(str, enum.Enum):
    """When the code that a finding is about stops the program, as long as nobody changes it."""

    IMPORT = "import"
    """While its file is imported: nothing of the program runs."""
    STEP = "step"
    """When the program gets there: by the first training step, or where the function is called."""
    NEVER = "never"
    """It does not: it was rewritten, runs otherwise than meant, or is no code."""

    @property
    def rank(self) -> int:
        """Position in reading order, the earliest first."""
        return list(Stop).index(self)


@dataclass(frozen=True, order=True)
class Span:
    """A range of the original file; lines and columns count from 1, the end is exclusive."""

    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1


@dataclass(frozen=True)
class Occurrence:
    """Another place of a finding: where it is and what was found there."""

    path: str
    span: Span
    found: str
    todo: str = ""
    """What to do at this place, if it differs from the first place."""
    effort: Effort = Effort.NONE
    cell: int | None = None


@dataclass(frozen=True)
class Finding:
    """One entry of a report: what was found, what was changed, what is left to do."""

    code: str
    status: Status
    path: str
    """POSIX path relative to the project root."""
    span: Span
    found: str
    """What was found, in one sentence that quotes the user's code."""
    done: str = ""
    """What the tool changed; empty when it changed nothing."""
    todo: str = ""
    """What the user must still do; empty when nothing is left."""
    effort: Effort = Effort.NONE
    possible: bool = False
    """True when the type of the object is not certain, so nothing was rewritten."""
    cell: int | None = None
    """Index of the notebook cell the span counts in, None outside notebooks."""
    cause: str = ""
    """What findings of one rule have in common when one decision settles all of them, such as the
    name of a file or a package; empty where each has to be looked at by itself."""
    unlisted: int = 0
    """How many places more it stands for that are only counted; see ``migrate/large_files.py``."""
    stops: Stop = Stop.NEVER
    """When it stops the program; of a finding that is only possible: if it is what it may be."""
    also: tuple[Occurrence, ...] = ()
    """The other places with the same cause; see :func:`by_cause`."""

    @property
    def places(self) -> int:
        """How many places it has."""
        return 1 + len(self.also) + self.unlisted

    @property
    def efforts(self) -> list[Effort]:
        """The work that each listed place leaves."""
        return [self.effort, *(item.effort for item in self.also)]

    @property
    def paths(self) -> list[str]:
        """The file of each listed place."""
        return [self.path, *(item.path for item in self.also)]

    @property
    def sort_key(self) -> tuple[int, str, int, Span, str]:
        """Blockers first, then by place."""
        return (self.status.rank, self.path, self.cell or 0, self.span, self.code)


def not_applied(finding: Finding, reason: str) -> Finding:
    """The finding of a fix that is left to a person, with what it would have written."""
    return replace(
        finding,
        status=Status.MANUAL,
        effort=Effort.MINUTES,
        done="",
        todo=f"Left as it is, because {reason}. Meant was: {finding.done} {finding.todo}".rstrip(),
    )


def by_cause(findings: Iterable[Finding]) -> list[Finding]:
    """Merge findings of one rule, status and cause into one finding that lists all their places.

    It takes the position of the first of them.
    """
    joined: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        same = (finding.code, finding.status, finding.possible, finding.done, finding.cause)
        joined.setdefault(same if finding.cause else number, []).append(finding)
    return [_joined(*group) for group in joined.values()]


def by_place(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Take findings apart that :func:`by_cause` has joined: one for each place."""
    for finding in findings:
        yield replace(finding, also=())
        for item in finding.also:
            yield replace(
                finding,
                path=item.path,
                span=item.span,
                found=item.found,
                todo=item.todo or finding.todo,
                effort=item.effort,
                cell=item.cell,
                also=(),
            )


def _joined(first: Finding, *others: Finding) -> Finding:
    if not others:
        return first
    also = []
    for item in others:
        todo = "" if item.todo == first.todo else item.todo
        also.append(Occurrence(item.path, item.span, item.found, todo, item.effort, item.cell))
    stops = min((first.stops, *(item.stops for item in others)), key=lambda stop: stop.rank)
    return replace(first, also=tuple(also), stops=stops)


@dataclass(frozen=True)
class RuleInfo:
    """What a report says about the rule behind a finding."""

    code: str
    title: str
    why: str
    family: str = ""
    """``tf1``, ``keras``, ``horovod``, ``shell`` ...; the folder the rule lives in."""
    statuses: tuple[Status, ...] = field(default=())
    """The statuses its findings can have."""
    foretells: tuple[str, ...] = ()
    """Codes of the findings with which ``ascendify run --strict`` stops if nobody acts on this one.
    """

    @property
    def page(self) -> str:
        """The rule's page, relative to the documentation root."""
        return f"rules/{self.code}.md"
