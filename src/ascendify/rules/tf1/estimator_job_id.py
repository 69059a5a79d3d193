"""JOB_ID: report that an NPUEstimator needs the variable."""

from __future__ import annotations

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.tf1 import _estimator

RULE = Rule(
    code="TF1-EST-9",
    title="Set JOB_ID where an NPUEstimator is created",
    why="NPUEstimator raises a ValueError in its constructor when the variable JOB_ID is not set.",
    statuses=(Status.INFO,),
    before="estimator = NPUEstimator(model_fn=model_fn, config=config)",
)


@RULE.file
def report(file: File) -> Diagnoses:
    """Report it once per file, at the first estimator that is an NPUEstimator or is made one."""
    if "stimator" not in file.module.source.text or "JOB_ID" in file.module.source.text:
        return
    for site in file.calls(*_estimator.CONVERTIBLE, *_estimator.NATIVE):
        if site.name in _estimator.NATIVE or _estimator.plan_estimator(file, site).native:
            yield RULE.info(
                site,
                "NPUEstimator needs the environment variable JOB_ID",
                todo=(
                    "Set it in the launch script, for example export JOB_ID=10087: letters, "
                    "digits, - and _, and not a number that starts with 0."
                ),
            )
            return
