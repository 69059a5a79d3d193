"""Read files with rank tables by the names that users give, and check them where wanted."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ascendify.cluster.files import LARGEST, decode
from ascendify.cluster.problem import ClusterProblem
from ascendify.cluster.ranktable.checking import check
from ascendify.cluster.ranktable.picture import summary
from ascendify.cluster.ranktable.reading import ParsedTable, RankTableError, read, read_file
from ascendify.errors import UsageError

_STDIN = "-"


@dataclass(frozen=True)
class CheckedFile:
    """A file, what is in it, what is wrong with it, and why it could not be read."""

    file: str
    summary: str = ""
    problems: tuple[ClusterProblem, ...] = ()
    failure: str = ""


def check_table(
    file: Path, environment: Mapping[str, str] | None, hardware: str | None
) -> CheckedFile:
    """Check a rank table; if an environment is given, check that they agree."""
    name = display_name(file)
    try:
        reading = read_table(file)
    except RankTableError as error:
        return CheckedFile(name, problems=error.problems)
    except UsageError as error:
        return CheckedFile(name, failure=error.message)
    problems = check(reading.table, environment, hardware, source=reading.source)
    return CheckedFile(name, summary(reading.table), (*reading.warnings, *problems))


def read_table(file: Path) -> ParsedTable:
    """Read a rank table; ``-`` is standard input."""
    if str(file) == _STDIN:
        return read(decode(sys.stdin.buffer.read(LARGEST), display_name(file)), "")
    return read_file(file)


def display_name(file: Path) -> str:
    """The name of a file on one line, whatever is in it."""
    name = "standard input" if str(file) == _STDIN else str(file)
    return name if name.isprintable() else ascii(name)
