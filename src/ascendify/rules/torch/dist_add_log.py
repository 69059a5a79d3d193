"""Show losses that are means over the processes, and one progress bar."""

from __future__ import annotations

import ast

from ascendify.rules.helpers import DDP
from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.torch import _ddp
from ascendify.rules.torch._ddp_steps import Step
from ascendify.source.nodes import function_around, keyword_value, last_name
from ascendify.source.scopes import parent, scope_of

RULE = Rule(
    code="TORCH-DIST-13",
    title="Show the mean of a loss over the processes",
    why=(
        "Each process computes the loss of its own samples. What is printed, compared with the "
        "best value so far or given to a scheduler should be the mean over all of them: it is the "
        "loss of the whole batch, and the same on every process, so that all decide alike."
    ),
    statuses=(Status.AUTO,),
    before=(
        "for x in loader:\n    loss = model(x).mean()\n    loss.backward()\n"
        "    optimizer.step()\n    print(loss.item())"
    ),
    after=(
        "for x in loader:\n    loss = model(x).mean()\n    loss.backward()\n"
        "    optimizer.step()\n    print(npu_ddp.mean(loss).item())"
    ),
    last=True,
    requested=_ddp.is_requested,
)

_VALUES = ("item", "detach", "data", "cpu", "tolist", "numpy")
_SHOWS = ("print", "format", "float")
_BARS = ("tqdm.tqdm", "tqdm.auto.tqdm", "tqdm.std.tqdm", "tqdm.trange", "tqdm.auto.trange")


@RULE.file
def average(file: File) -> Diagnoses:
    """Average the losses whose value is read where they are computed."""
    plans = _ddp.plans(file)
    if not plans:
        return
    steps = dict.fromkeys(
        step for plan in plans for step in plan.steps if step.module is file.module
    )
    done: set[ast.AST] = set()
    for step in steps:
        for node in _shown(step):
            if node not in done:
                done.add(node)
                fix = file.fix()
                fix.wrap(node, f"{fix.use(DDP)}.mean(")
                yield RULE.auto(
                    file.at(node),
                    f"{file.brief(parent(node))} is the loss of one process's samples",
                    done="Took the mean over the processes, where there are several.",
                    fix=fix,
                )
    for site in file.calls(*_BARS):
        if keyword_value(site.node, "disable") is None and not site.args.starred:
            fix = file.fix()
            fix.add_argument(site.node, f"disable=not {fix.use(DDP)}.is_main()")
            yield RULE.auto(
                site,
                f"{site.brief} shows a progress bar for each process",
                done="Left it to process 0.",
                fix=fix,
            )


def _shown(step: Step) -> list[ast.Name]:
    """The reads of a step's loss that only want its value."""
    if step.loss is None:
        return []
    scope = scope_of(step.loss).find(step.loss.id)
    if scope is None:
        return []
    uses = [node for node in scope.uses(step.loss.id) if function_around(node) is step.function]
    return [node for node in uses if _wants_value(node)]


def _wants_value(node: ast.Name) -> bool:
    around = parent(node)
    if isinstance(around, ast.Attribute):
        return around.attr in _VALUES
    if isinstance(around, ast.FormattedValue):
        return True
    return isinstance(around, ast.Call) and last_name(around.func) in _SHOWS
