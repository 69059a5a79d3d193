"""Turn rewrites that need more of npu_bridge than npu_device.compat.v1 has into advice."""

from __future__ import annotations

from dataclasses import replace

from ascendify.findings import Effort, Status
from ascendify.rules.kit import Diagnosis, File, Site

_LACKING = frozenset(
    {
        "NPULossScaleOptimizer", "FixedLossScaleManager", "ExponentialUpdateLossScaleManager",
        "npu_loss_scale_manager", "npu_loss_scale_optimizer", "loss_scale_optimizer",
    }
)  # fmt: skip
"""Modules and names of loss scaling, which the adapter for TensorFlow 2 has for Keras only."""
_TODO = (
    "npu_device has no loss scale for sessions of compat.v1: keep TensorFlow's own, or train in "
    "float32 with the NPU option precision_mode=must_keep_origin_dtype."
)


def checked(diagnosis: Diagnosis, file: File, _: Site) -> Diagnosis:
    """The finding, without its fix if the fix imports what the file's adapter lacks."""
    fix = diagnosis.fix
    if fix is None or file.facts.releases.get(file.path) != "tf2":
        return diagnosis
    parts = {part for item in fix.imports for part in (item.name, item.module.rpartition(".")[2])}
    if not parts & _LACKING:
        return diagnosis
    finding = replace(
        diagnosis.finding, status=Status.MANUAL, done="", todo=_TODO, effort=Effort.HOURS
    )
    return Diagnosis(finding)
