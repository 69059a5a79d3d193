"""Remove ``memory_format=torch.channels_last``, a layout for GPUs."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Argument, Diagnoses, Rule, Site, Status
from ascendify.source.scopes import parent

RULE = Rule(
    code="TORCH-OP-3",
    title="Let the NPU choose the layout of tensors",
    why=(
        "NPUs do not support channels_last: the call fails, or copies tensors in vain. They choose "
        "their internal layouts themselves."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="model = model.to(memory_format=torch.channels_last)",
    after="",
)

_FORMATS = ("torch.channels_last", "torch.channels_last_3d")


@RULE.reference(*_FORMATS)
def remove_format(site: Site) -> Diagnoses:
    """Remove the argument, and with it a call that did nothing else."""
    keyword = site.parent
    call = parent(keyword)
    if not (
        isinstance(keyword, ast.keyword)
        and keyword.arg == "memory_format"
        and isinstance(call, ast.Call)
    ):
        yield RULE.manual(
            site,
            f"{site.brief} is a layout that NPUs do not support",
            todo="Use torch.contiguous_format where a layout is needed.",
        )
        return
    fix = site.fix()
    spelled = site.file.brief(call)
    only = len(call.args) + len(call.keywords) == 1
    if only and isinstance(call.func, ast.Attribute) and call.func.attr in ("to", "contiguous"):
        target = call.func.value
        if _is_own_statement(site, call, target):
            fix.remove_statement(call)
            done = "Removed it."
        else:
            fix.replace(call, site.file.text(target))
            done = f"Replaced it by {site.file.brief(target)}."
    else:
        fix.remove_argument(call, Argument("memory_format", keyword.value, keyword))
        done = "Removed the argument."
    yield RULE.auto(
        site.at(call), f"{spelled} sets a layout that NPUs do not support", done=done, fix=fix
    )


def _is_own_statement(site: Site, call: ast.Call, target: ast.expr) -> bool:
    """``model.to(...)`` alone, or ``model = model.to(...)``."""
    statement = parent(call)
    if isinstance(statement, ast.Expr):
        return True
    return (
        isinstance(statement, ast.Assign)
        and len(statement.targets) == 1
        and site.file.text(statement.targets[0]) == site.file.text(target)
    )
