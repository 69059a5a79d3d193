"""Imports of Horovod: remove them once nothing uses them, and only then."""

from __future__ import annotations

from ascendify.rules.horovod import imports
from ascendify.rules.kit import Rule
from ascendify.rules.tf2._adopted import adopt

RULE = Rule(
    code="TF2-HVD-1",
    title="Remove imports of Horovod from TensorFlow 2 programs",
    why=imports.RULE.why,
    statuses=imports.RULE.statuses,
    before="import os, horovod.tensorflow as hvd",
    after="import os",
    safety=(
        "Where the module object is only tested (hvd is not None) or passed on to such tests, the "
        "name stays and stands for npu_device, so the tests keep their answers."
    ),
)

adopt(RULE, imports.RULE)
