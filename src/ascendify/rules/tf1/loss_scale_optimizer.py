"""Loss scale optimizers: the NPU's, outside of what distributes the gradients."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Effort, Rule, Site, Status, callees
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
    """Same arguments; ranks agree on an overflow when training is distributed."""
    file = site.file
    if site.args.starred or not callees.is_direct(file, site.node.func):
        yield _by_hand(site, site.callee)
        return
    fix = site.fix()
    name = _loss_scale.name_npu_class(file, fix, site.node.func, site.name)
    extra = _loss_scale.is_distributed(file)
    if extra:
        fix.add_argument(site.node, extra[2:])
    yield RULE.auto(
        site,
        f"{site.callee} does not see an overflow on an NPU",
        done=f"Replaced it by {name}{' with' + extra[1:] if extra else ''}.",
        fix=fix,
    )


@RULE.call(_loss_scale.MIXED_OPTIMIZER)
def replace_experimental(site: CallSite) -> Diagnoses:
    """Its loss scale becomes a manager."""
    file, args = site.file, site.args
    spelled = site.callee
    fix = site.fix()
    scale = args.get("loss_scale")
    if args.starred or scale is None or not callees.is_direct(file, site.node.func):
        yield _by_hand(site, spelled)
        return
    manager = _loss_scale.manager(file, fix, scale.value)
    if manager is None:
        yield _by_hand(site, spelled)
        return
    fix.replace(site.node.func, fix.use(_loss_scale.OPTIMIZERS, "NPULossScaleOptimizer"))
    if scale.keyword is not None:
        start = file.module.start(scale.keyword)
        fix.replace_range(start, start + len("loss_scale"), "loss_scale_manager")
    if manager != fix.text(scale.value):
        fix.replace(scale.value, manager)
    extra = _loss_scale.is_distributed(file)
    if extra:
        fix.add_argument(site.node, extra[2:])
    yield RULE.auto(
        site,
        f"{spelled} does not see an overflow on an NPU",
        done=f"Replaced it by NPULossScaleOptimizer{' with' + extra[1:] if extra else ''}.",
        fix=fix,
    )


@RULE.reference(_loss_scale.CONTRIB_OPTIMIZER, _loss_scale.MIXED_OPTIMIZER)
def tell_subclass(site: Site) -> Diagnoses:
    """Classes of the project that derive from TensorFlow's."""
    owner = site.parent
    if isinstance(owner, ast.ClassDef) and site.node in owner.bases:
        yield RULE.manual(
            site,
            f"{owner.name} derives from {site.brief}, which does not see an overflow on an NPU",
            todo=(
                f"Derive it from NPULossScaleOptimizer of {_loss_scale.OPTIMIZERS}, whose "
                "apply_gradients does the test and the skipping."
            ),
            effort=Effort.HOURS,
        )


@RULE.call(*_loss_scale.DISTRIBUTED)
def check_order(site: CallSite) -> Diagnoses:
    """Scaling belongs outside of distributing."""
    file = site.file
    optimizer = site.args.value("optimizer") or next(iter(site.node.args), None)
    if optimizer is None or not _loss_scale.is_scaled(file, optimizer):
        return
    yield RULE.manual(
        site,
        f"{site.callee} is put around an optimizer that scales the loss",
        todo=(
            "Turn them round: NPULossScaleOptimizer(npu_distributed_optimizer_wrapper(optimizer), "
            "manager, is_distributed=True), so that gradients are averaged while they are scaled "
            "and every rank skips the same steps."
        ),
    )


def _by_hand(site: CallSite, spelled: str) -> Diagnosis:
    return RULE.manual(
        site,
        f"{spelled} does not see an overflow on an NPU, and its arguments cannot be followed",
        todo=(
            f"Use NPULossScaleOptimizer(optimizer, manager{_loss_scale.is_distributed(site.file)}) "
            f"of {_loss_scale.OPTIMIZERS}, with a FixedLossScaleManager or an "
            f"ExponentialUpdateLossScaleManager of {_loss_scale.MANAGERS}."
        ),
    )
