"""One line of the doctor's report."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class State(str, enum.Enum):
    """How it stands with what was looked at."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    NOT_SEEN = "not seen"
    """It could not be looked at, or nothing is known of it."""


@dataclass(frozen=True)
class Observation:
    """What was seen of one thing, and what to do where something is to be done."""

    subject: str
    state: State
    text: str
    advice: str = ""


@dataclass(frozen=True)
class Subject:
    """A group of the report; makes its lines."""

    title: str

    def ok(self, text: str) -> Observation:
        """All is well."""
        return Observation(self.title, State.OK, text)

    def warning(self, text: str, advice: str) -> Observation:
        """Training may work; it may also fail or be slow."""
        return Observation(self.title, State.WARNING, text, advice)

    def problem(self, text: str, advice: str) -> Observation:
        """Training will fail."""
        return Observation(self.title, State.PROBLEM, text, advice)

    def not_seen(self, text: str, advice: str = "") -> Observation:
        """Nothing can be said."""
        return Observation(self.title, State.NOT_SEEN, text, advice)
