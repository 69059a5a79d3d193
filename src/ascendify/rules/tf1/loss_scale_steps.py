"""Skipped steps: report step counters, and runs of two optimizers, that ignore them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status, callees
from ascendify.rules.kit.bindings import values
from ascendify.rules.tensorflow import datasets
from ascendify.rules.tf1 import _loss_scale
from ascendify.source.nodes import last_name

RULE = Rule(
    code="TF1-LS-4",
    title="Count only the steps that were applied",
    why=(
        "A loss scale optimizer skips a step whose gradients overflow. It leaves the global step "
        "alone then, if it is the one that counts it. The overflow flag is one a run, so two "
        "such optimizers in one run see each other's overflow."
    ),
    statuses=(Status.MANUAL,),
    before="train_op = NPULossScaleOptimizer(opt, manager).minimize(loss)",
)

_OWNERS = ("tf.train.Optimizer", "npu.NPULossScaleOptimizer", "npu.NPUOptimizer")
_APPLYING = tuple(
    f"{owner}.{method}" for owner in _OWNERS for method in ("minimize", "apply_gradients")
)
_ASSIGNING = ("tf.assign", "tf.assign_add", "tf.Variable.assign", "tf.Variable.assign_add")


@RULE.call(*_APPLYING)
def check_step(site: CallSite) -> Diagnoses:
    """Applying without the global step."""
    file = site.file
    if site.receiver is None or not _scales(file, site.receiver):
        return
    method = site.name.rpartition(".")[2]
    args = CallSite(file, site.node, f"tf.train.Optimizer.{method}").args
    step = args.value("global_step")
    if args.starred or (step is not None and file.literal(step) != (None,)):
        return
    yield RULE.manual(
        site,
        f"{datasets.spelled(file, site.node)} applies a scaled step without the global step",
        todo=(
            "Pass global_step=tf.train.get_or_create_global_step() here and increment it nowhere "
            "else, so that a skipped step is not counted."
        ),
    )


@RULE.call(*_ASSIGNING)
def check_assignment(site: CallSite) -> Diagnoses:
    """Counting by hand beside the optimizer."""
    file = site.file
    target = site.args.value("ref") if site.name.startswith("tf.assign") else site.receiver
    if target is None or not _is_global_step(file, target):
        return
    scaled = next(callees.calls(file, *_loss_scale.SCALED), None)
    if scaled is None and not _loss_scale.is_requested(file):
        return
    yield RULE.manual(
        site,
        f"{site.brief} counts steps beside the loss scale optimizer",
        todo=(
            "Remove it and pass the global step to apply_gradients or minimize, which does not "
            "count a step that overflowed."
        ),
    )


@RULE.call("tf.Session.run", "tf.train.MonitoredSession.run", "tf.group")
def check_together(site: CallSite) -> Diagnoses:
    """Two scaled optimizers in one run."""
    file = site.file
    fetched = list(site.node.args)
    if len(fetched) >= 1 and isinstance(fetched[0], (ast.List, ast.Tuple)):
        fetched = list(fetched[0].elts)
    if len(fetched) < 2:
        return
    optimizers = {text for item in fetched for text in _scaled_optimizers(file, item)}
    if len(optimizers) > 1:
        yield RULE.manual(
            site,
            f"{site.callee} applies {' and '.join(sorted(optimizers))} in one run",
            todo=(
                "Run the two train operators one after the other: the overflow flag is one a "
                "run, so each would skip the other's overflow, too."
            ),
        )


def _scaled_optimizers(file: File, node: ast.expr) -> Iterator[str]:
    """The spelling of the scaled optimizer whose step an expression is."""
    sources = [node] if isinstance(node, ast.Call) else values(file, node)
    for source in sources:
        if not isinstance(source, ast.Call) or not isinstance(source.func, ast.Attribute):
            continue
        names, _ = file.names(source.func)
        if any(name in _APPLYING for name in names) and _scales(file, source.func.value):
            yield file.brief(source.func.value)


def _scales(file: File, optimizer: ast.expr) -> bool:
    return _loss_scale.is_requested(file) or _loss_scale.is_scaled(file, optimizer)


def _is_global_step(file: File, node: ast.expr) -> bool:
    name = last_name(node)
    if name == "global_step":
        return True
    return any(
        isinstance(value, ast.Call) and (file.name(value.func) or "").endswith("global_step")
        for value in values(file, node)
    )
