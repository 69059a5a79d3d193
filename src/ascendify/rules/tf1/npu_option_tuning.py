"""NPU options written by hand: replace the tuner that no longer exists by its successor."""

from __future__ import annotations

import ast

from ascendify.catalog import options
from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.tf1 import _npu_entry

RULE = Rule(
    code="TF1-NPU-4",
    title="Tune with aoe_mode instead of auto_tune_mode",
    why=(
        "auto_tune_mode no longer exists: sessions ignore it, and NPURunConfig raises TypeError. "
        "Its successor is aoe_mode."
    ),
    statuses=(Status.AUTO_CHECK, Status.AUTO, Status.MANUAL),
    before='custom_op.parameter_map["auto_tune_mode"].s = tf.compat.as_bytes("RL,GA")',
    after='custom_op.parameter_map["aoe_mode"].s = tf.compat.as_bytes("2")',
    safety="Tuning, which the old option no longer did, takes place and makes the first run long.",
)

_OLD = "auto_tune_mode"
_CHECK = (
    "Tuning takes place again and makes the first run long; remove the option once the tuned "
    "operators are stored."
)


@RULE.file
def in_entry(file: File) -> Diagnoses:
    """The key in ``parameter_map``."""
    found = _npu_entry.npu_parameters(file)
    new, mode = next(iter(options.option(_OLD).rewrite.items()))
    for item in (each for each in found if each.key == _OLD):
        text = f"{_OLD} is no longer an option"
        literal = _npu_entry.literal(file, item.value)
        fix = file.fix()
        if any(
            other.key == new and _npu_entry.is_same(other.handle, item.handle) for other in found
        ):
            fix.remove_statement(item.statement)
            done = f"Removed it: {new} is set as well."
            yield RULE.auto(file.at(item.target), text, done=done, fix=fix)
        elif literal is None or len(literal) != 1 or not isinstance(literal[0], str):
            yield _by_hand(file, item.target, text, f'parameter_map["{new}"].s', str(mode))
        elif not literal[0]:
            fix.remove_statement(item.statement)
            yield RULE.auto(file.at(item.target), text, done="Removed it: it was off.", fix=fix)
        else:
            fix.replace(item.key_node, file.quoted(new, item.key_node))
            fix.replace(item.value, f'{_npu_entry.as_bytes(file, fix)}("{mode}")')
            if item.field != "s":
                end = file.module.end(item.target)
                fix.replace_range(end - len(item.field), end, "s")
            done = f'Replaced it by {new}="{mode}".'
            yield RULE.auto_check(file.at(item.target), text, done=done, todo=_CHECK, fix=fix)


@RULE.call("npu.NPURunConfig")
def in_run_config(site: CallSite) -> Diagnoses:
    """The argument of NPURunConfig."""
    given = site.args.get(_OLD)
    if given is None:
        return
    new, mode = next(iter(options.option(_OLD).rewrite.items()))
    text = f"NPURunConfig no longer has the argument {_OLD} and raises TypeError"
    literal = site.file.literal(given.value)
    fix = site.fix()
    if new in site.args or (literal is not None and not any(literal)):
        fix.remove_argument(site.node, given)
        done = f"Removed {_OLD}."
        yield RULE.auto(site.at(given.node), text, done=done, fix=fix)
    elif literal is None or site.args.starred:
        yield _by_hand(site.file, given.node, text, new, str(mode))
    else:
        fix.replace(given.node, f'{new}="{mode}"')
        done = f'Replaced it by {new}="{mode}".'
        yield RULE.auto_check(site.at(given.node), text, done=done, todo=_CHECK, fix=fix)


def _by_hand(file: File, node: ast.AST, text: str, new: str, mode: str) -> Diagnosis:
    return RULE.manual(
        file.at(node),
        text,
        todo=f'Set {new} to "{mode}" where tuning is wanted, and leave it out elsewhere.',
    )
