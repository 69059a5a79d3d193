"""TPUEstimatorSpec: report what replaces its fields in native style."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.source.nodes import function_around

RULE = Rule(
    code="TF1-TPU-4",
    title="Know what replaces a TPUEstimatorSpec in native style",
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
"""Fields that EstimatorSpec lacks -> their replacements."""


@RULE.call(*_SPECS)
def report(site: CallSite) -> Diagnoses:
    """Report once per function what native style needs, field by field."""
    function = function_around(site.node)
    specs = [spec for spec in site.file.calls(*_SPECS) if function_around(spec.node) is function]
    if specs and specs[0].node is not site.node:
        return
    given = {item.name: item for spec in specs for item in spec.args}
    steps = [
        text.format(site.file.brief(given[name].value, 30))
        for name, text in _FIELDS.items()
        if name in given
    ]
    yield RULE.info(
        site,
        f"{site.callee} works as it is while TPUEstimator stays",
        todo="For native style return tf.estimator.EstimatorSpec instead"
        + "".join(f"; {step}" for step in steps)
        + ".",
    )
