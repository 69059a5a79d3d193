"""TPUEstimatorSpec: works without a TPU; what becomes of its fields in native style."""

from __future__ import annotations

from ascendify.rules.kit import Argument, CallSite, Diagnoses, Rule, Status
from ascendify.source.nodes import function_around

RULE = Rule(
    code="TF1-TPU-4",
    title="Know what a TPUEstimatorSpec becomes in native style",
    why=(
        "A TPUEstimator that uses no TPU turns the spec into an EstimatorSpec by itself. "
        "NPUEstimator takes an EstimatorSpec only, so native style needs the fields rewritten."
    ),
    statuses=(Status.INFO,),
    before="return tf.contrib.tpu.TPUEstimatorSpec(mode, loss=loss, eval_metrics=(fn, tensors))",
)

_SPECS = ("tf.estimator.tpu.TPUEstimatorSpec", "tf.contrib.tpu.TPUEstimatorSpec")
_FIELDS = {
    "eval_metrics": "eval_metrics={} becomes eval_metric_ops=fn(*tensors)",
    "scaffold_fn": "scaffold_fn={0} becomes scaffold={0}() where it is not None",
    "host_call": "host_call={} stays, in an NPUEstimatorSpec",
}
"""Fields that EstimatorSpec does not have, and what takes their place."""


@RULE.call(*_SPECS)
def tell(site: CallSite) -> Diagnoses:
    """Say once a function what native style would need, field by field."""
    function = function_around(site.node)
    specs = [spec for spec in site.file.calls(*_SPECS) if function_around(spec.node) is function]
    if specs and specs[0].node is not site.node:
        return
    given = {item.name: item for spec in specs for item in spec.args}
    steps = [_step(site, given[name]) for name in _FIELDS if name in given]
    yield RULE.info(
        site,
        f"{site.callee} works as it is while TPUEstimator stays",
        todo="For native style return tf.estimator.EstimatorSpec instead"
        + "".join(f"; {step}" for step in steps)
        + ".",
    )


def _step(site: CallSite, item: Argument) -> str:
    return _FIELDS[item.name].format(site.file.brief(item.value, 30))
