"""Rank variables of NPU launch scripts: report values that contradict each other."""

from __future__ import annotations

import re

from ascendify.rules.kit import Diagnoses, Diagnosis, Rule, Status, TextSite
from ascendify.rules.shell import _script
from ascendify.rules.shell._script import Assignment

RULE = Rule(
    code="SH-RANK-1",
    title="Set rank variables that agree",
    why=(
        "RANK_ID, RANK_SIZE and the rank table describe one job. Where they disagree, processes "
        "wait for ranks that never come, or the program fails when it reads its rank as a number."
    ),
    statuses=(Status.MANUAL,),
    before="export RANK_ID=npu8p\nexport RANK_SIZE=1",
    framework="tensorflow",
)

_TABLE_SIZE = re.compile(r"(?<!\d)(\d+)p(?![a-z])", re.I)


@RULE.text("shell")
def check_ranks(site: TextSite) -> Diagnoses:
    """Check literal values only: a value set by a loop is usually correct."""
    if "RANK_" not in site.text:
        return
    values: dict[str, list[Assignment]] = {}
    for command in _script.commands(site.text):
        for item in command.assignments:
            if item.name.startswith("RANK_") and item.value.is_plain and item.value.value:
                values.setdefault(item.name, []).append(item)
    sizes = [int(i.value.value) for i in values.get("RANK_SIZE", ()) if i.value.value.isdigit()]
    size = sizes[0] if len(set(sizes)) == 1 else None
    for item in values.get("RANK_ID", ()):
        yield from _rank(site, item, size)
    for item in values.get("RANK_TABLE_FILE", ()):
        match = _TABLE_SIZE.search(item.value.value.rpartition("/")[2])
        if match is not None and size is not None and int(match[1]) != size:
            yield _by_hand(
                site,
                item,
                f"{item.word.text} looks like a table of {match[1]} devices, and RANK_SIZE is "
                f"{size}",
                f"Set RANK_SIZE to the number of devices in the table, or use a table of {size}.",
            )


def _rank(site: TextSite, item: Assignment, size: int | None) -> Diagnoses:
    rank = item.value.value
    if not rank.isdigit():
        yield _by_hand(
            site,
            item,
            f"{item.word.text} is a pod name, not a number",
            "It works only with a rank table of the older template that lists this pod name, and "
            "with a program that never reads RANK_ID as a number. Use a table of version 1.0 and "
            "a number from 0 to RANK_SIZE - 1, or set POD_NAME instead.",
        )
    elif size is not None and int(rank) >= size:
        yield _by_hand(
            site,
            item,
            f"{item.word.text} is not a rank of a job with RANK_SIZE={size}",
            "Use RANK_ID=0." if size == 1 else f"Give ranks from 0 to {size - 1}.",
        )


def _by_hand(site: TextSite, item: Assignment, found: str, todo: str) -> Diagnosis:
    return RULE.manual(site.at(item.word.start, item.word.end), found, todo=todo)
