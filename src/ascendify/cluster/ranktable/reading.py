"""Read a rank table: return the table with warnings, or raise one error that lists all problems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ascendify.cluster.files import read_text
from ascendify.cluster.jsontext import JsonError, RelaxedJson, parse
from ascendify.cluster.problem import WARNING, ClusterProblem, format_value
from ascendify.cluster.ranktable.model import Table
from ascendify.cluster.ranktable.schema import SchemaDecoder
from ascendify.cluster.ranktable.templates import of_file
from ascendify.errors import UsageError

_CLEAN = "HCCL refuses the file; ascendify ranktable convert writes a clean one"
_BYTE_ORDER_MARK = "\ufeff"


class RankTableError(UsageError):
    """A text that is not a rank table; ``problems`` say where and why."""

    def __init__(self, source: str, problems: Sequence[ClusterProblem]) -> None:
        first, *more = problems
        others = f" (and {len(more)} more)" if more else ""
        super().__init__(f"{source}: {first}{others}", first.advice)
        self.problems = tuple(problems)


@dataclass(frozen=True)
class ParsedTable:
    """A rank table as read, with what was unusual in its file."""

    table: Table
    warnings: tuple[ClusterProblem, ...] = ()
    source: str = ""
    unused: Mapping[str, int] = field(default_factory=dict)
    """Keys that no template has, and how often each occurs; the table leaves them out."""


def read_file(path: Path) -> ParsedTable:
    """Read the rank table in a file; raises :exc:`RankTableError`."""
    return read(read_text(path), str(path))


def read(text: str, source: str = "rank table") -> ParsedTable:
    """Read the rank table in a text; raises :exc:`RankTableError`."""
    marked = text.startswith(_BYTE_ORDER_MARK)
    try:
        relaxed = parse(text[marked:])
    except JsonError as error:
        advice = "correct the JSON there"
        problem = ClusterProblem(error.place, "", error.message, advice=advice)
        raise RankTableError(source, [problem]) from None
    kind = of_file(relaxed.value)
    if kind is None:
        raise RankTableError(source, [_no_template(relaxed.value)])
    decoder = SchemaDecoder()
    table = decoder.object(kind, relaxed.value, "$")
    warnings = (*_text_warnings(marked, relaxed), *decoder.problems)
    if table is None:
        raise RankTableError(source, _worst_first(warnings))
    return ParsedTable(table, warnings, source, dict(decoder.unused))


def _worst_first(problems: Iterable[ClusterProblem]) -> list[ClusterProblem]:
    return sorted(problems, key=lambda problem: problem.severity == WARNING)


def _no_template(value: Any) -> ClusterProblem:
    if not isinstance(value, dict):
        return ClusterProblem("$", format_value(value), "a rank table is an object in { }")
    if "server_group_list" in value:
        return ClusterProblem(
            "$.server_group_list",
            "",
            "a global-ranktable of MindIE is not a rank table for HCCL",
            advice="make a table of the server_list of one of its groups",
        )
    version = value.get("version", "")
    return ClusterProblem(
        "$",
        f"version {format_value(version)}" if version else "",
        "there is neither server_list, group_list nor rank_list",
        advice="ascendify ranktable create makes a table to start from",
    )


def _text_warnings(marked: bool, relaxed: RelaxedJson) -> Iterable[ClusterProblem]:
    if marked:
        yield ClusterProblem("$ (line 1)", "", "no byte order mark", WARNING, _CLEAN)
    for count, line, what in (
        (relaxed.comments, relaxed.first_comment, "comment"),
        (relaxed.commas, relaxed.first_comma, "comma before a closing bracket"),
    ):
        if count:
            more = f", the first of {count}" if count > 1 else ""
            yield ClusterProblem(
                f"$ (line {line}{more})", "", f"JSON has no {what}", WARNING, _CLEAN
            )
