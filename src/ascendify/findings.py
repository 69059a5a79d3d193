"""Findings: what was found, where, what was changed and what is left to do.

Rules, the migration pipeline and the emulation create findings; reports render them. This module
knows no framework and imports nothing of ours.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, field


class Status(str, enum.Enum):
    """What was done about a finding, in the order in which people should read them."""

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


@dataclass(frozen=True, order=True)
class Span:
    """A range of the original file; lines and columns count from 1, the end is exclusive."""

    line: int = 1
    column: int = 1
    end_line: int = 1
    end_column: int = 1


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

    @property
    def sort_key(self) -> tuple[int, str, int, Span, str]:
        """Blockers first, then by place."""
        return (self.status.rank, self.path, self.cell or 0, self.span, self.code)


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

    @property
    def page(self) -> str:
        """The rule's page, relative to the documentation root."""
        return f"rules/{self.code}.md"
