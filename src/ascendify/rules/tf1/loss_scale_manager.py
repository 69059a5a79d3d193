"""Loss scale managers: replace TensorFlow's by the NPU's, with the same constants."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Fix, Rule, Status, callees
from ascendify.rules.tf1 import _loss_scale

RULE = Rule(
    code="TF1-LS-1",
    title="Use the NPU's loss scale managers",
    why=(
        "TensorFlow's managers test with tf.is_finite whether a step overflowed, which an NPU does "
        "not support. The NPU's managers read the overflow flag of the device."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="scale = tf.train.experimental.DynamicLossScale()",
    after=(
        "scale = ExponentialUpdateLossScaleManager(init_loss_scale=2 ** 15, "
        "incr_every_n_steps=2000, decr_every_n_nan_or_inf=1, incr_ratio=2.0, decr_ratio=0.5)"
    ),
)


@RULE.call(*_loss_scale.MANAGER_CLASSES)
def use_npu_manager(site: CallSite) -> Diagnoses:
    """Same name, same arguments, another module."""
    if callees.is_direct(site.file, site.node.func):
        fix = site.fix()
        name = _loss_scale.name_npu_class(site.file, fix, site.node.func, site.name)
        yield _replaced(site, fix, f"{name} of {_loss_scale.MANAGERS}")
    yield from _check_place(site)


def _replaced(site: CallSite, fix: Fix, by: str) -> Diagnosis:
    found = f"{site.callee} tests gradients with an operator an NPU does not support"
    return RULE.auto(site, found, done=f"Replaced it by {by}.", fix=fix)


@RULE.call(_loss_scale.DYNAMIC_SCALE, _loss_scale.FIXED_SCALE)
def use_manager_for_scale(site: CallSite) -> Diagnoses:
    """Replace TensorFlow's loss scale by a manager with the same schedule."""
    file, args = site.file, site.args
    calls = _loss_scale.scale_uses(file, site.node)
    dynamic = site.name == _loss_scale.DYNAMIC_SCALE
    manager = "ExponentialUpdateLossScaleManager" if dynamic else "FixedLossScaleManager"
    if args.starred or calls is None or not callees.is_direct(file, site.node.func):
        yield RULE.manual(
            site,
            f"{site.callee} is used where a manager of the NPU cannot replace it",
            todo=(
                f"Make a {manager} of {_loss_scale.MANAGERS} in its place and give it to "
                f"NPULossScaleOptimizer of {_loss_scale.OPTIMIZERS}; read the scale with its "
                "get_loss_scale()."
            ),
        )
        return
    fix = site.fix()
    if dynamic:
        fix.replace(site.node, _loss_scale.dynamic_manager(fix, args))
    else:
        fix.replace(site.node.func, fix.use(_loss_scale.MANAGERS, manager))
        value = args.get("loss_scale_value")
        if value is not None and value.keyword is not None:
            fix.replace(value.keyword, f"loss_scale={fix.text(value.value)}")
    for call in calls:
        end = file.module.end(call.func)
        fix.replace_range(end, end, ".get_loss_scale")
    yield _replaced(site, fix, f"{manager} with the same schedule")
    yield from _check_place(site)


@RULE.call("npu.ExponentialUpdateLossScaleManager")
def check_place(site: CallSite) -> Diagnoses:
    """Report a manager of the NPU that is created inside control dependencies."""
    yield from _check_place(site)


def _check_place(site: CallSite) -> Diagnoses:
    fixed = site.name.rpartition(".")[2] in ("FixedLossScaleManager", "FixedLossScale")
    around = _loss_scale.control_dependencies(site.file, site.node)
    if around is not None and not fixed:
        yield RULE.manual(
            site,
            "The loss scale manager is made under tf.control_dependencies",
            todo=(
                "Make it above the with statement on line "
                f"{around.lineno}; its variables must not depend on operators of the step."
            ),
        )
