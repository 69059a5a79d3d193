"""Observations: the lines of the doctor's report."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class ObservationState(str, enum.Enum):
    """The verdict on what was examined."""

    OK = "ok"
    WARNING = "warning"
    PROBLEM = "problem"
    NOT_SEEN = "not seen"
    """It could not be examined, or no published table names it."""


@dataclass(frozen=True)
class Observation:
    """What was found, its state, and what to do about it."""

    subject: str
    state: ObservationState
    text: str
    advice: str = ""


@dataclass(frozen=True)
class Subject:
    """A group of lines in the report; creates its observations."""

    title: str

    def ok(self, text: str) -> Observation:
        """Create an observation without a problem."""
        return Observation(self.title, ObservationState.OK, text)

    def warning(self, text: str, advice: str) -> Observation:
        """Create an observation with which training may fail or be slow."""
        return Observation(self.title, ObservationState.WARNING, text, advice)

    def problem(self, text: str, advice: str) -> Observation:
        """Create an observation with which training will fail."""
        return Observation(self.title, ObservationState.PROBLEM, text, advice)

    def not_seen(self, text: str, advice: str = "") -> Observation:
        """Create an observation of something that could not be examined."""
        return Observation(self.title, ObservationState.NOT_SEEN, text, advice)
