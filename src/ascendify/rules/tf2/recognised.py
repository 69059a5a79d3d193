"""Programs for TensorFlow 2: recognised, and not rewritten."""

from __future__ import annotations

from ascendify.catalog.cuda_packages import TENSORFLOW2_RELEASE
from ascendify.rules.kit import Diagnoses, File, Rule, Status

RULE = Rule(
    code="TF2-INIT-0",
    title="Open the NPU in a TensorFlow 2 program",
    why=(
        "A TensorFlow 2 program trains on an NPU only after npu_device has opened it; without that "
        "it trains on the CPU. ascendify recognises such programs and does not rewrite them yet."
    ),
    statuses=(Status.BLOCKER,),
    before="import tensorflow as tf",
)

_OPENING = ("npu_device.open", "npu_device.compat.enable_v1")


@RULE.file
def not_rewritten(file: File) -> Diagnoses:
    """The first script that is started, or the first file where none is: once a project."""
    files = sorted(path for path, release in file.facts.releases.items() if release == "tf2")
    started = [path for path in files if path in file.facts.entry_points]
    if file.path not in (started or files)[:1] or any(file.calls(*_OPENING)):
        return
    yield RULE.blocker(
        file,
        "this project is written for TensorFlow 2, and nothing in this file opens an NPU",
        todo=(
            f"Install TensorFlow {TENSORFLOW2_RELEASE} and npu_device. In every script, before "
            "anything else of TensorFlow: import npu_device as npu, set npu.global_options() as "
            "needed, and call npu.open().as_default()."
        ),
    )
