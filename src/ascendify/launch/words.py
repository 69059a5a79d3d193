"""What the last words of a rank on real devices mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ascendify.cluster import codes
from ascendify.emulation import failures

_WAITED_IN_VAIN = re.compile(
    r"\bEI000[26]\b|\bEI0019\b|\bEI0015\b|[Nn]otify(?: register)? wait(?:ing)? time ?out"
    r"|[Ss]ocket (?:time ?out|connection.*(?:closed|reset))|HcclCommDestroy"
)
"""What a rank says that waits for one that has gone."""


def is_consequence(last_lines: Sequence[str]) -> bool:
    """Whether a rank failed only because another had gone."""
    return failures.is_consequence(last_lines) or any(
        _WAITED_IN_VAIN.search(line) for line in last_lines
    )


def advice(last_lines: Sequence[str], ended_by: int | None) -> str:
    """What to do about a failure; empty when only the script itself can tell."""
    for explained in codes.explain(last_lines):
        return f"{explained.code}: {explained.meaning} {explained.fix}"
    return failures.explain(last_lines, ended_by)


def shortened(last_lines: Sequence[str]) -> tuple[str, ...]:
    """The end of a log without the frames of libraries."""
    return failures.without_libraries(last_lines)
