"""apply_gradients of the NPU's loss scale optimizer: it has one argument less."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, MethodSite, Rule, Status
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tf2 import _loss_scale
from ascendify.source.nodes import keyword_value

RULE = Rule(
    code="TF2-LS-3",
    title="Do not give the NPU's loss scale optimizer experimental_aggregate_gradients",
    why=(
        "apply_gradients of NpuLossScaleOptimizer takes gradients and a name only; with "
        "experimental_aggregate_gradients it raises TypeError. One process serves one NPU, so "
        "there is nothing to aggregate inside it."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before=(
        "opt = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1))\n"
        "opt.apply_gradients(pairs, experimental_aggregate_gradients=False)"
    ),
    after=(
        "opt = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1))\n"
        "opt.apply_gradients(pairs)"
    ),
)

_KEYWORD = "experimental_aggregate_gradients"


@RULE.method("apply_gradients")
def drop_keyword(site: MethodSite) -> Diagnoses:
    """Drop the keyword if the optimizer scales the loss; report it if it may."""
    call = site.call
    if call is None or keyword_value(call, _KEYWORD) is None or in_test(site.file, call):
        return
    file = site.file
    scaled = _loss_scale.is_scaled(file, site.node.value)
    if scaled is False:
        return
    found = f"{file.brief(site.node)} is given {_KEYWORD}, which NpuLossScaleOptimizer refuses"
    if scaled is None:
        if _scales_anywhere(site):
            yield RULE.manual(
                site,
                found,
                todo="Leave the argument out where the optimizer is NpuLossScaleOptimizer.",
            ).as_possible()
        return
    fix = site.fix()
    keyword = next(item for item in call.keywords if item.arg == _KEYWORD)
    args = CallSite(file, call, f"{_loss_scale.NATIVE}.apply_gradients").args
    argument = args.get(_KEYWORD)
    if argument is not None:
        fix.remove_argument(call, argument)
    yield RULE.auto(file.at(keyword), found, done=f"Removed {file.brief(keyword)}.", fix=fix)


def _scales_anywhere(site: MethodSite) -> bool:
    project = site.file.resolver.project
    around = (site.file.module, *project.imported(site.file.module), *project.importers(site.path))
    return any("LossScaleOptimizer" in module.source.text for module in around)
