"""Add the NPU to the choices of command-line options."""

from __future__ import annotations

import ast
import re

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.torch import _designators, _options
from ascendify.rules.torch._places import place_of

RULE = Rule(
    code="TORCH-DEV-3",
    title="Offer the NPU among the choices of an option",
    why=(
        "An option that accepts only 'cuda' and 'cpu' refuses 'npu', even as its default. Names of "
        "options do not change, because scripts and people use them."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.INFO),
    before="parser.add_argument('--device', choices=['cuda', 'cpu'])",
    after="parser.add_argument('--device', choices=['cuda', 'npu', 'cpu'])",
    safety="The old value is still accepted; a program that gets it fails because there is no GPU.",
)

_COMMAND = re.compile(r"--[\w-]*device[\w-]*[ =](?P<cuda>cuda)(?![\w-])")
"""A device in a command line."""


@RULE.file
def add_choice(file: File) -> Diagnoses:
    """Extend every list of choices that contains a GPU."""
    if file.facts.style == "transfer":
        return
    for item in _designators.all_of(file):
        place = place_of(item.whole)
        if place.kind != "choice" or place.group is None or not item.is_plain:
            continue
        if _designators.lists_npu(place.group):
            continue
        fix = file.fix()
        _designators.add_beside(fix, item.literal)
        text = file.brief(item.literal)
        yield RULE.auto(
            file.at(item.literal),
            f"{text} is a choice of an option",
            done=f"Added {_designators.renamed(text)}.",
            fix=fix,
        )


@RULE.file
def note_name(file: File) -> Diagnoses:
    """Note options whose names contain cuda."""
    for option in _options.declared(file.module.index):
        if _designators.GPU not in option.flag.lower():
            continue
        given = option.call.args
        yield RULE.info(
            file.at(next((item for item in given if _says(item, option.flag)), given[0])),
            f"The option {option.flag} keeps its name, so that existing commands still work",
        )


@RULE.call(
    "os.system", "os.popen", "subprocess.run", "subprocess.call", "subprocess.check_call",
    "subprocess.check_output", "subprocess.Popen",
)  # fmt: skip
def change_command(site: CallSite) -> Diagnoses:
    """Change a command line that the program runs."""
    file = site.file
    given = site.node.args[0] if site.node.args else None
    if file.facts.style == "transfer" or not isinstance(given, (ast.Constant, ast.JoinedStr)):
        return
    found = list(_COMMAND.finditer(file.text(given)))
    if not found:
        return
    fix = file.fix()
    for match in found:
        start = file.module.start(given) + match.start("cuda")
        fix.replace_range(start, start + len(_designators.GPU), _designators.NPU)
    text = found[0][0]
    yield RULE.auto_check(
        file.at(given),
        f"{text} is passed to another program",
        done=f"Wrote {_designators.renamed(text)}.",
        todo="Check that the other program accepts the name of an NPU.",
        fix=fix,
    )


def _says(node: ast.expr, text: str) -> bool:
    return isinstance(node, ast.Constant) and node.value == text
