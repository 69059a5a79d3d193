"""Keras models under a float16 policy: compile adds a loss scale that the NPU does not serve."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, Rule, Status
from ascendify.rules.kit.names import tensorflow
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf2 import _loss_scale
from ascendify.source.nodes import is_literal, string

RULE = Rule(
    code="TF2-LS-2",
    title="Give a model under mixed_float16 the NPU's loss scale",
    why=(
        "With the policy mixed_float16, compile wraps the optimizer in Keras' own "
        "LossScaleOptimizer without a word. That one does not see overflows of an NPU of the Atlas "
        "training series."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before=(
        "tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
        "model = tf.keras.Sequential()\n"
        "model.compile(optimizer=tf.keras.optimizers.Adam(), loss='mse')"
    ),
    after=(
        "tf.keras.mixed_precision.set_global_policy('mixed_float16')\n"
        "model = tf.keras.Sequential()\n"
        "model.compile(optimizer=npu_device.train.optimizer.NpuLossScaleOptimizer("
        "tf.keras.optimizers.Adam()), loss='mse')"
    ),
)


@RULE.call("tf2.keras.Model.compile")
@outside_tests
def scale_explicitly(site: CallSite) -> Diagnoses:
    """Wrap the optimizer given to compile()."""
    file = site.file
    policy = _loss_scale.mixing(file)
    if policy is None or site.args.starred:
        return
    optimizer = site.args.value("optimizer")
    if optimizer is not None and is_literal(optimizer, None):
        return
    if optimizer is not None and _loss_scale.is_scaled(file, optimizer) is True:
        return
    always = policy[0] is file.module and _loss_scale.is_certain(policy[1], site.node)
    named = optimizer is None or string(optimizer) is not None
    if not named and not (optimizer is not None and _loss_scale.is_optimizer(file, optimizer)):
        yield _by_hand(site, optimizer)
        return
    found = f"{site.callee} adds Keras' own loss scale under the policy mixed_float16"
    fix = site.fix()
    scaled = _loss_scale.npu_optimizer(fix)
    if not always:
        # over several ranks the wrapper that reduces gradients belongs inside the loss scale
        if not isinstance(optimizer, ast.Name) or file.facts.distributed != "none":
            yield _by_hand(site, optimizer)
            return
        test = f"{tensorflow(fix, site.node)}.keras.mixed_precision.global_policy().name"
        fix.insert_before(
            site.node,
            f"if {test} == 'mixed_float16':\n"
            f"{fix.indent_unit}{optimizer.id} = {scaled}({optimizer.id})",
        )
        done = f"Wrapped {optimizer.id} in {scaled} where the policy is on."
    elif optimizer is None:
        keras = f"{tensorflow(fix, site.node)}.keras.optimizers"
        fix.add_argument(site.node, f"optimizer={scaled}({keras}.get('rmsprop'))")
        done = f"Gave it the default optimizer, in {scaled}."
    elif named:
        keras = f"{tensorflow(fix, site.node)}.keras.optimizers"
        fix.wrap(optimizer, f"{scaled}({keras}.get(", "))", level=1)
        done = f"Wrapped the optimizer in {scaled}."
    else:
        fix.wrap(optimizer, f"{scaled}(", level=1)
        done = f"Wrapped the optimizer in {scaled}."
    yield RULE.auto(site, found, done=done, fix=fix)


def _by_hand(site: CallSite, optimizer: ast.expr | None) -> Diagnosis:
    text = "'rmsprop'" if optimizer is None else site.file.brief(optimizer, 40)
    given = f"tf.keras.optimizers.get({text})" if text[:1] in "'\"" else text
    return RULE.manual(
        site,
        f"{site.callee} adds Keras' own loss scale where the policy is mixed_float16",
        todo=(
            f"Give it npu_device.train.optimizer.NpuLossScaleOptimizer({given}) under that "
            "policy, unless the optimizer scales the loss already."
        ),
    )
