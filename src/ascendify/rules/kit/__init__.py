"""What rules of every family share.

The package itself exports the types every rule is written with; its modules hold what several
families do in the same way. A helper that only one family needs stays with the family.
"""

from __future__ import annotations

from collections.abc import Iterator

from ascendify.findings import Effort, Status
from ascendify.rules.arguments import Argument, Arguments
from ascendify.rules.fix import Changes, Fix
from ascendify.rules.rule import Diagnosis, Rule
from ascendify.rules.site import (
    CallSite,
    Facts,
    File,
    FunctionSite,
    ImportSite,
    Location,
    MethodSite,
    Site,
    TextSite,
)

Diagnoses = Iterator[Diagnosis]
"""What a handler yields."""

__all__ = [
    "Argument", "Arguments", "CallSite", "Changes", "Diagnoses", "Diagnosis", "Effort", "Facts",
    "File", "Fix", "FunctionSite", "ImportSite", "Location", "MethodSite", "Rule", "Site", "Status",
    "TextSite",
]  # fmt: skip
