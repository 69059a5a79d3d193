"""Values of global options of npu_device."""

from __future__ import annotations

import ast

from ascendify.catalog import options
from ascendify.catalog.options import Option, OptionError
from ascendify.rules.kit import Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.tf2 import _options
from ascendify.rules.tf2._options import OptionUse
from ascendify.source.scopes import statement

RULE = Rule(
    code="TF2-OPT-2",
    title="Give global options values of their type",
    why=(
        "npu_device compares a value with those that an option can have: text in the place of a "
        "bool or a number raises TypeError or ValueError."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    foretells=("EMU-OPT-2",),
    before="npu_device.global_options().dump_config.enable_dump = 'True'",
    after="npu_device.global_options().dump_config.enable_dump = True",
)

_TRUE = frozenset({"true", "1", "on", "yes"})
_FALSE = frozenset({"false", "0", "off", "no"})


@RULE.file
def mend_values(file: File) -> Diagnoses:
    """Every literal that an option is set to."""
    for use in _options.stores(file):
        found = _options.by_attribute().get(use.path)
        target = statement(use.node)
        if found is None or not isinstance(target, ast.Assign):
            continue
        values = file.literal(target.value)
        for value in values or ():
            diagnosis = _checked(file, use, found, target, value)
            if diagnosis is not None:
                yield diagnosis
                break


def _checked(
    file: File, use: OptionUse, found: Option, target: ast.Assign, value: object
) -> Diagnosis | None:
    if value is None:
        return None
    right = _typed(found, value)
    shown = f"{use.path} is given {value!r}"
    if right is not None and isinstance(target.value, ast.Constant):
        fix = file.fix()
        fix.replace(target.value, repr(right))
        said = f"{shown}, which raises an error"
        return RULE.auto(file.at(target.value), said, done=f"Replaced it by {right!r}.", fix=fix)
    if right is not None:
        return RULE.manual(file.at(target.value), shown, todo=f"Give it {right!r}.")
    try:
        options.validate({found.key: value})
    except OptionError as error:
        if error.key == found.key and error.expected:
            return RULE.manual(file.at(target.value), shown, todo=f"Give it {error.expected}.")
    return None


def _typed(found: Option, value: object) -> object:
    """The value in the type of its option, where that is what is wrong; None for all others."""
    if not isinstance(value, str):
        return None
    if found.type == "b" and value.lower() in _TRUE | _FALSE:
        return value.lower() in _TRUE
    if found.type == "i" and value.lstrip("-").isdigit():
        return int(value)
    return None
