"""Commands inside files that are no scripts: what rules for scripts say about them.

The rules look at each of them as at a launch script; what they find and change is placed where the
command stands in the file. A change that the syntax of the file does not take, such as two words
in the place of one, is left to a person.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ascendify.findings import Status, not_applied
from ascendify.rules.fix import Changes
from ascendify.rules.rule import Diagnosis
from ascendify.rules.site import Facts, File, TextSite
from ascendify.source import command_lines
from ascendify.source.command_lines import Script
from ascendify.source.edits import Edit
from ascendify.source.nodes import string

_CALLS = (
    "os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call",
    "subprocess.check_output", "subprocess.Popen", "subprocess.getoutput",
    "subprocess.getstatusoutput",
)  # fmt: skip
"""Functions that run a command: their first argument."""
_WORDS = ("subprocess", "os.system", "os.popen")
_LEFT = "it would not fit into the quotes or the list that it stands in"


def of_text(site: TextSite) -> Iterator[TextSite]:
    """The commands of a file that is not Python, each as the text of a script."""
    for script in command_lines.find(site.kind, site.path, site.text):
        yield TextSite(site.path, "shell", script.text, site.facts, script)


def of_python(file: File, facts: Facts) -> Iterator[TextSite]:
    """The commands that a Python program runs, where they are written out."""
    text = file.module.source.text
    if not any(word in text for word in _WORDS):
        return
    for site in file.calls(*_CALLS):
        command = site.node.args[0] if site.node.args else None
        if isinstance(command, (ast.Constant, ast.List)):
            parts = [(item, *_inside(file, item)) for item in _strings(command)]
            for script in command_lines.of_strings(
                text, [(start, end) for _, start, end in parts], isinstance(command, ast.List)
            ):
                yield TextSite(file.path, "shell", script.text, facts, script)


def _strings(node: ast.Constant | ast.List) -> list[ast.expr]:
    return node.elts if isinstance(node, ast.List) else [node]


def _inside(file: File, node: ast.expr) -> tuple[int, int]:
    """The range of a string between its quotes; an empty one for what is not written out."""
    value, written = string(node), file.module.segment(node)
    at = -1 if not value else written.find(value)
    if value is None or at < 0:
        return 0, 0
    start = file.module.start(node) + at
    return start, start + len(value)


def placed(script: Script, diagnoses: Iterable[Diagnosis]) -> list[Diagnosis]:
    """What rules said about a script as diagnoses about the file that it stands in."""
    found = [item for item in diagnoses if item.finding.status is not Status.INFO]
    edits = [_edits(script, item) for item in found]
    gone = {(edit.start, edit.end) for each in edits for edit in each or () if not edit.new}
    if script.whole is not None and script.lines and gone.issuperset(script.lines):
        # the line that only names the variables goes with the first of them
        first = Edit(script.whole[0], script.lines[0][1], "")
        edits = [
            None if each is None else [first if edit.end == first.end else edit for edit in each]
            for each in edits
        ]
    return [_placed(item, new) for item, new in zip(found, edits)]


def _edits(script: Script, diagnosis: Diagnosis) -> list[Edit] | None:
    """The edits of a fix in the file; None where one of them does not fit."""
    if diagnosis.fix is None:
        return []
    found = [script.edit(edit) for edit in diagnosis.fix.edits]
    fitting = [edit for edit in found if edit is not None]
    return fitting if len(fitting) == len(found) else None


def _placed(diagnosis: Diagnosis, edits: list[Edit] | None) -> Diagnosis:
    if edits is None:
        return Diagnosis(not_applied(diagnosis.finding, _LEFT))
    return replace(diagnosis, fix=Changes(edits) if edits else None)
