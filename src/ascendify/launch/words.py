"""What the last words of a rank on real devices mean."""

from __future__ import annotations

from collections.abc import Sequence

from ascendify.cluster import codes
from ascendify.emulation import failures


def is_consequence(last_lines: Sequence[str]) -> bool:
    """Whether a rank failed only because another had gone."""
    found = codes.explain(last_lines)
    waited = bool(found) and all(each.code.follows for each in found)
    return waited or failures.is_consequence(last_lines)


def advice(last_lines: Sequence[str], ended_by: int | None) -> str:
    """What to do about a failure; empty when only the script itself can tell."""
    found = codes.explain(last_lines)
    if not found:
        return failures.explain(last_lines, ended_by)
    code = found[0].code
    return f"{code.code}: {code.meaning} {code.fix} (ascendify explain {code.code} tells more)"


def shortened(last_lines: Sequence[str]) -> tuple[str, ...]:
    """The end of a log without the frames of libraries."""
    return failures.without_libraries(last_lines)
