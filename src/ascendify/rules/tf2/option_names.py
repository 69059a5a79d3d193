"""Global options of npu_device that do not exist, or no longer."""

from __future__ import annotations

import ast

from ascendify.catalog import options
from ascendify.errors import closest
from ascendify.rules.kit import Diagnoses, Diagnosis, File, Fix, Rule, Status
from ascendify.rules.tf2 import _options
from ascendify.rules.tf2._options import OptionUse
from ascendify.source.scopes import statement

RULE = Rule(
    code="TF2-OPT-1",
    title="Set global options that npu_device has",
    why=(
        "An option that npu_device does not have raises ValueError when it is set. auto_tune_mode, "
        "which many ported projects set behind a switch, is gone; its successor is "
        "aoe_config.aoe_mode."
    ),
    statuses=(Status.AUTO, Status.AUTO_CHECK, Status.MANUAL),
    before="npu_device.global_options().auto_tune_mode = 'RL,GA'",
    after="npu_device.global_options().aoe_config.aoe_mode = '2'",
    safety="Tuning, which the old option no longer did, takes place and makes the first run long.",
)

_OLD = "auto_tune_mode"
_SESSION_NAMES = {
    found.key: found.global_option
    for found in options.all_options()
    if found.global_option and found.global_option != found.key
}
"""Options that sessions have under another name: ``enable_dump`` is below ``dump_config``."""


@RULE.file
def mend_names(file: File) -> Diagnoses:
    """Every assignment to an option that is not there."""
    for use in _options.stores(file):
        if use.path == _OLD:
            yield _tuning(file, use)
        elif use.path not in _options.by_attribute() and use.path not in _options.groups():
            yield _unknown(file, use)


def _tuning(file: File, use: OptionUse) -> Diagnosis:
    target = statement(use.node)
    found = f"{file.brief(target)} raises ValueError: npu_device has no {_OLD} any more"
    literal = file.literal(target.value) if isinstance(target, ast.Assign) else None
    new, mode = next(iter(options.option(_OLD).rewrite.items()))
    place = options.option(new).global_option or new
    if literal is None or len(literal) != 1 or not isinstance(target, ast.Assign):
        return RULE.manual(
            file.at(use.node),
            found,
            todo=f'Set {place} to "{mode}" where tuning is wanted, and nothing where it is not.',
        )
    fix = file.fix()
    if not literal[0]:
        fix.remove_statement(target)
        return RULE.auto(file.at(use.node), found, done="Removed it: it was off.", fix=fix)
    _rename(file, fix, use, place)
    fix.replace(target.value, file.quoted(str(mode), target.value))
    return RULE.auto_check(
        file.at(use.node),
        found,
        done=f'Replaced it by {place}="{mode}".',
        todo=(
            "Tuning takes place again and makes the first run long; remove the option once the "
            "tuned operators are stored."
        ),
        fix=fix,
    )


def _unknown(file: File, use: OptionUse) -> Diagnosis:
    found = f"npu_device has no global option {use.path}, so setting it raises ValueError"
    place = _SESSION_NAMES.get(use.path)
    if place is not None:
        fix = file.fix()
        _rename(file, fix, use, place)
        return RULE.auto(file.at(use.node), found, done=f"Replaced it by {place}.", fix=fix)
    near = closest(use.path, _options.by_attribute())
    todo = f"Did you mean {near}?" if near else "Take it out."
    return RULE.manual(file.at(use.node), found, todo=todo)


def _rename(file: File, fix: Fix, use: OptionUse, place: str) -> None:
    end = file.module.end(use.node)
    fix.replace_range(end - len(use.node.attr), end, place)
