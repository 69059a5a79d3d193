"""Global options of npu_device that are compared with a value."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.tf2 import _options
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF2-OPT-4",
    title="Compare the value of a global option",
    why=(
        "Reading a global option gives an object, not the value that was set, so a comparison with "
        "a value is always false. Its value is text: '1' and '0' for bools."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="mixed = npu_device.global_options().precision_mode == 'allow_mix_precision'",
    after="mixed = npu_device.global_options().precision_mode.value == 'allow_mix_precision'",
)


@RULE.file
def mend_comparisons(file: File) -> Diagnoses:
    """``npu_device.global_options().precision_mode == 'x'``."""
    for use in _options.reads(file):
        owner = parent(use.node)
        if not isinstance(owner, ast.Compare) or len(owner.ops) != 1:
            continue
        other = owner.comparators[0] if owner.left is use.node else owner.left
        values = file.literal(other)
        found = f"{file.brief(owner)} is always false"
        if isinstance(owner.ops[0], (ast.NotEq, ast.NotIn, ast.IsNot)):
            found = f"{file.brief(owner)} is always true"
        if values and all(isinstance(value, str) for value in values):
            fix = file.fix()
            end = file.module.end(use.node)
            fix.replace_range(end, end, ".value")
            yield RULE.auto(file.at(owner), found, done="Compared its value.", fix=fix)
        else:
            yield RULE.manual(
                file.at(owner),
                found,
                todo="Compare .value, which is text: '1' and '0' for bools, None if unset.",
            )
