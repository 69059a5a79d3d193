"""Errors that a user can correct, each with a hint what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UsageError(Exception):
    """The run cannot start or continue until the user changes something."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class StoppedError(UsageError):
    """The run was stopped before its end; the message says what was kept."""

    def __init__(self, message: str, hint: str, exit_code: int) -> None:
        super().__init__(message, hint)
        self.exit_code = exit_code


def closest(word: str, known: Iterable[str], cutoff: float = 0.6) -> str | None:
    """Return the known name that is most similar to a name, ignoring case; None if none is."""
    by_folded = {candidate.casefold(): candidate for candidate in known}
    near = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=cutoff)
    return by_folded[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """Return a hint that names the closest known name, or another hint if none is similar."""
    near = closest(word, known)
    return f"did you mean {near}?" if near else otherwise
