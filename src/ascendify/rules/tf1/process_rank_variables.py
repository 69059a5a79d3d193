"""RANK_ID and RANK_SIZE read as numbers: add a default for where the variable is not set."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, Rule, Site, Status, environment
from ascendify.source.scopes import parent

RULE = Rule(
    code="TF1-PROC-2",
    title="Give rank variables a default",
    why=(
        "A run on one device needs no RANK_ID and RANK_SIZE. Where they are not set, "
        "int(os.getenv('RANK_SIZE')) is int(None) and stops the program."
    ),
    statuses=(Status.AUTO,),
    before="size = int(os.getenv('RANK_SIZE'))",
    after="size = int(os.getenv('RANK_SIZE', '1'))",
    framework="tensorflow",
)

_DEFAULTS = {
    "RANK_SIZE": "1",
    "RANK_ID": "0",
    "DEVICE_ID": "0",
    "ASCEND_DEVICE_ID": "0",
    "DEVICE_INDEX": "0",
}


@RULE.reference("os.getenv", "os.environ.get")
def add_default(site: Site) -> Diagnoses:
    """``int(os.getenv('RANK_SIZE'))``."""
    use = environment.use_at(site)
    if use is None or use.variable not in _DEFAULTS or use.value is not None:
        return
    file, call, around = site.file, use.node, parent(use.node)
    if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
        return
    if not (isinstance(around, ast.Call) and file.name(around.func) == "builtins.int"):
        return
    default = file.quoted(_DEFAULTS[use.variable], use.key)
    fix = site.fix()
    fix.add_argument(call, default)
    yield RULE.auto(
        site.at(around),
        f"{file.brief(around)} fails where {use.variable} is not set",
        done=f"Added the default {default}.",
        fix=fix,
    )
