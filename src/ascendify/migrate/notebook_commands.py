"""Commands in notebooks: what a line hands to the shell is migrated as a launch script is.

A line such as ``!CUDA_VISIBLE_DEVICES=0 python train.py`` is a comment while Python looks at the
text of a notebook, so the rules for scripts look at it here, one command at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ascendify.findings import Finding, Status
from ascendify.migrate.analyse import Analyser
from ascendify.migrate.notebook import CONTINUED, MASK
from ascendify.migrate.passes import migrate_text
from ascendify.rules.site import TextSite

_COMMAND = re.compile(rf"([ \t]*){re.escape(MASK)}((?:[\w, \t]+=\s*)?!)(.*)")
_MORE = re.compile(rf"[ \t]*{re.escape(CONTINUED)}(.*)")


@dataclass(frozen=True)
class _Command:
    """A command, from the line of a text that begins it to the last one that a backslash joins."""

    line: int
    """Counted from 0."""
    indent: str
    lead: str
    """What comes before the command on its line: ``!``, ``files = !``."""
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def migrate_commands(
    analyser: Analyser, path: str, before: str, after: str
) -> tuple[str, list[Finding]]:
    """Migrate the shell commands of a notebook, after the other rules have changed its text."""
    old_commands, new_commands = list(_commands(before)), list(_commands(after))
    if [command.text for command in old_commands] != [command.text for command in new_commands]:
        return after, []  # one of them went with the code around it
    lines = after.split("\n")
    findings: list[Finding] = []
    for old, new in zip(old_commands, new_commands):
        result = migrate_text(analyser, TextSite(path, "shell", old.text, analyser.facts.of(path)))
        changed = (old.text if result.after is None else result.after).split("\n")
        if len(changed) != len(new.lines) or not changed[0].strip():
            continue
        lines[new.line] = f"{new.indent}{MASK}{new.lead}{changed[0]}"
        for number, text in enumerate(changed[1:], new.line + 1):
            lines[number] = f"{new.indent}{CONTINUED}{text}"
        findings.extend(
            _placed(finding, old)
            for finding in result.findings
            if finding.status is not Status.INFO
        )
    return "\n".join(lines), findings


def _commands(text: str) -> Iterator[_Command]:
    lines = text.split("\n")
    for number, line in enumerate(lines):
        match = _COMMAND.fullmatch(line)
        if match is None:
            continue
        found = [match[3]]
        for later in lines[number + 1 :]:
            more = _MORE.fullmatch(later)
            if more is None:
                break
            found.append(more[1])
        yield _Command(number, match[1], match[2], tuple(found))


def _placed(finding: Finding, command: _Command) -> Finding:
    """A finding, moved to the line of the command in the notebook's text."""
    span = finding.span
    head = len(command.indent) + len(command.lead)
    return replace(
        finding,
        span=replace(
            span,
            line=span.line + command.line,
            column=span.column + (head if span.line == 1 else 0),
            end_line=span.end_line + command.line,
            end_column=span.end_column + (head if span.end_line == 1 else 0),
        ),
    )
