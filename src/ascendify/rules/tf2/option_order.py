"""Global options that are set after npu_device has read them."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.tf2 import _npu, _options
from ascendify.source.nodes import block_of, function_around
from ascendify.source.scopes import ancestors, statement

RULE = Rule(
    code="TF2-OPT-3",
    title="Set global options before the NPU is opened",
    why=(
        "npu_device.open() reads the options once. What is assigned behind it is taken without a "
        "word and has no effect."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    foretells=("EMU-OPEN-2",),
    before=(
        "npu_device.open().as_default()\n"
        "npu_device.global_options().precision_mode = 'allow_mix_precision'"
    ),
    after=(
        "npu_device.global_options().precision_mode = 'allow_mix_precision'\n"
        "npu_device.open().as_default()"
    ),
)


@RULE.file
def mend_order(file: File) -> Diagnoses:
    """Move every option that is set after the opening, in the same function."""
    opens = list(file.calls(*_npu.OPENS))
    if not opens:
        return
    for use in _options.stores(file):
        before = [
            site
            for site in opens
            if function_around(site.node) is function_around(use.node)
            and site.node.lineno < use.node.lineno
        ]
        if not before:
            continue
        opened, target = statement(before[0].node), statement(use.node)
        found = f"{file.brief(target)} has no effect: the NPU is open since line {opened.lineno}"
        if _may_move(file, opened, target):
            fix = file.fix()
            fix.insert_before(opened, file.text(target))
            fix.remove_statement(target)
            done = "Moved it before npu_device.open()."
            yield RULE.auto(file.at(target), found, done=done, fix=fix)
        else:
            yield RULE.manual(file.at(target), found, todo=f"Set it before line {opened.lineno}.")


def _may_move(file: File, opened: ast.stmt, target: ast.stmt) -> bool:
    """Whether an assignment means the same before the opening, which it directly follows."""
    if not isinstance(target, ast.Assign) or opened not in block_of(target):
        return False
    block = block_of(target)
    between = block[block.index(opened) : block.index(target)]
    bound = {
        item.id
        for part in between
        for item in ast.walk(part)
        if isinstance(item, ast.Name) and isinstance(item.ctx, ast.Store)
    }
    used = {item.id for item in ast.walk(target) if isinstance(item, ast.Name)}
    calls = [item for item in ast.walk(target.value) if isinstance(item, ast.Call)]
    inside = any(item is opened for item in ancestors(target))
    return not calls and not bound & used and not inside and "\n" not in file.text(target)
