"""A user's mistake: what was found, and what to do about it."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UsageError(Exception):
    """The run cannot start or go on until the user changes something; never a bug of ours."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class StoppedError(UsageError):
    """Somebody ended the run before its end; says what of it is kept."""

    def __init__(self, message: str, hint: str, exit_code: int) -> None:
        super().__init__(message, hint)
        self.exit_code = exit_code


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word most like the given one, None when none is near; case does not count."""
    by_folded = {candidate.casefold(): candidate for candidate in known}
    near = difflib.get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    return by_folded[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str], otherwise: str) -> str:
    """A hint that names the closest known word, or the given advice when none is near."""
    near = closest(word, known)
    return f"did you mean {near}?" if near else otherwise
