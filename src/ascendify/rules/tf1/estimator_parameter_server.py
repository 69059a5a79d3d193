"""ParameterServerStrategy: report one that is not passed to an NPUEstimator."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.tensorflow.passing import uses
from ascendify.rules.tf1 import _estimator, _strategy

RULE = Rule(
    code="TF1-EST-7",
    title="Give a ParameterServerStrategy to NPUEstimator, or train with all-reduce",
    why=(
        "On the NPU, parameter servers work only through NPUEstimator with a cluster in TF_CONFIG."
    ),
    statuses=(Status.MANUAL,),
    before="strategy = tf.distribute.experimental.ParameterServerStrategy()",
)


@RULE.call(*_strategy.PARAMETER_SERVERS)
def report_strategy(site: CallSite) -> Diagnoses:
    """A strategy that does not go into the run config of an NPUEstimator."""
    for use in uses(site.file.resolver, site.file.module, site.node).calls:
        file = site.file.of(use.module)
        name = file.name(use.call.func)
        if name == "npu.NPURunConfig":
            return
        if name == _estimator.RUN_CONFIG and _estimator.plan_config(file, use.call).native:
            return
    yield RULE.manual(
        site,
        f"{site.callee} is not given to an NPUEstimator",
        todo=(
            "Pass it as NPURunConfig(distribute=<strategy>, mix_compile_mode=True) to an "
            "NPUEstimator and set TF_CONFIG on every process; both are needed together. Or drop "
            "it and train with all-reduce, one process per device."
        ),
        effort=Effort.HOURS,
    )
