"""Findings about what may be there: nothing is rewritten, and the report says so."""

from __future__ import annotations

from dataclasses import replace

from ascendify.rules.kit import Diagnosis


def possible(diagnosis: Diagnosis) -> Diagnosis:
    """The same finding, as a question to the user."""
    return Diagnosis(replace(diagnosis.finding, possible=True))
