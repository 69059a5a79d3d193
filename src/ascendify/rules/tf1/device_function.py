"""Devices chosen by a function: report that it has no effect on an NPU."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.tensorflow import devices

RULE = Rule(
    code="TF1-DEV-3",
    title="Know that a device function chooses nothing on an NPU",
    why=(
        "A device function spreads variables and operators over the CPU and GPUs. On NPUs every "
        "process holds the whole model on one device, and soft placement ignores GPU devices."
    ),
    statuses=(Status.INFO,),
    before="with tf.device(lambda op: '/gpu:0'):\n    ...",
)


@RULE.call(*devices.SCOPES)
def report_function(site: CallSite) -> Diagnoses:
    """``tf.device(function)``."""
    device = site.args.value("device_name_or_function")
    if device is None or not devices.is_function(site.file, device):
        return
    yield RULE.info(
        site,
        f"{site.brief} lets a function choose devices; GPU devices it gives have "
        "no effect on an NPU",
    )
