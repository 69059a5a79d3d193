"""Loss scale optimizers: replace TensorFlow's by the NPU's."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, Fix, Rule, Site, Status
from ascendify.rules.kit.callees import is_direct
from ascendify.rules.tf1 import _loss_scale

RULE = Rule(
    code="TF1-LS-2",
    title="Use the NPU's loss scale optimizer",
    why=(
        "Only NPULossScaleOptimizer reads the overflow flag of the device. With TensorFlow's, "
        "steps that overflowed are applied, because saturated gradients look finite."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="opt = tf.contrib.mixed_precision.LossScaleOptimizer(opt, manager)",
    after="opt = NPULossScaleOptimizer(opt, manager)",
)


@RULE.call(_loss_scale.CONTRIB_OPTIMIZER)
def replace_contrib(site: CallSite) -> Diagnoses:
    """Same arguments, and one that makes ranks agree on an overflow in distributed training."""
    if site.args.starred or not is_direct(site.file, site.node.func):
        yield _by_hand(site)
        return
    fix = site.fix()
    yield _replaced(site, fix, _loss_scale.use_optimizer(site.file, fix, site.node, site.name))


@RULE.call(_loss_scale.MIXED_OPTIMIZER)
def replace_experimental(site: CallSite) -> Diagnoses:
    """Replace its loss scale by a manager."""
    file, args = site.file, site.args
    fix = site.fix()
    scale = args.get("loss_scale")
    manager = None if scale is None else _loss_scale.manager(file, fix, scale.value)
    plain = not args.starred and is_direct(file, site.node.func)
    if scale is None or manager is None or not plain:
        yield _by_hand(site)
        return
    if scale.keyword is not None:
        start = file.module.start(scale.keyword)
        fix.replace_range(start, start + len("loss_scale"), "loss_scale_manager")
    if manager != fix.text(scale.value):
        fix.replace(scale.value, manager)
    yield _replaced(site, fix, _loss_scale.use_optimizer(file, fix, site.node))


def _replaced(site: CallSite, fix: Fix, by: str) -> Diagnosis:
    found = f"{site.callee} does not detect overflow on an NPU"
    return RULE.auto(site, found, done=f"Replaced it by {by}.", fix=fix)


@RULE.reference(_loss_scale.CONTRIB_OPTIMIZER, _loss_scale.MIXED_OPTIMIZER)
def report_subclass(site: Site) -> Diagnoses:
    """Classes of the project that derive from TensorFlow's."""
    owner = site.parent
    if isinstance(owner, ast.ClassDef) and site.node in owner.bases:
        yield RULE.manual(
            site,
            f"{owner.name} derives from {site.brief}, which does not detect overflow on an NPU",
            todo=(
                f"Derive it from NPULossScaleOptimizer of {_loss_scale.OPTIMIZERS}, whose "
                "apply_gradients does the test and the skipping."
            ),
            effort=Effort.HOURS,
        )


@RULE.call(*_loss_scale.DISTRIBUTED)
def check_order(site: CallSite) -> Diagnoses:
    """The optimizer that scales must be around the one that averages gradients."""
    file = site.file
    optimizer = site.args.value("optimizer") or next(iter(site.node.args), None)
    if optimizer is None or not _loss_scale.is_scaled(file, optimizer):
        return
    yield RULE.manual(
        site,
        f"{site.callee} is put around an optimizer that scales the loss",
        todo=(
            "Swap them: NPULossScaleOptimizer(npu_distributed_optimizer_wrapper(optimizer), "
            "manager, is_distributed=True), so that gradients are averaged while they are scaled "
            "and every rank skips the same steps."
        ),
    )


def _by_hand(site: CallSite) -> Diagnosis:
    return RULE.manual(
        site,
        f"{site.callee} does not detect overflow on an NPU, and its arguments cannot be followed",
        todo=_loss_scale.recipe(site.file),
    )
