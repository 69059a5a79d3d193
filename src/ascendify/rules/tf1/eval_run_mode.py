"""Inference scripts: suggest to compile the graph for inference."""

from __future__ import annotations

import re

from ascendify.rules.kit import Diagnoses, File, Rule, Status, callees
from ascendify.rules.kit.tests import in_test
from ascendify.rules.tensorflow.purposes import Purpose, said
from ascendify.source.nodes import position

RULE = Rule(
    code="TF1-EVAL-2",
    title="Compile for inference in scripts that never train",
    why=(
        "Graphs are compiled for training unless graph_run_mode is 0, which leaves out what only "
        "training needs."
    ),
    statuses=(Status.INFO,),
    before="saver.restore(sess, path)\nprint(sess.run(logits, {x: image}))",
)

_LOADS = (
    "tf.train.Saver.restore", "tf.saved_model.load", "tf.import_graph_def",
    "tf.contrib.slim.evaluation.evaluate_once", "tf.contrib.slim.evaluation.evaluation_loop",
    "tf.contrib.training.evaluate_once", "tf.contrib.training.evaluate_repeatedly",
    "tf.estimator.Estimator.predict", "tf.estimator.Estimator.evaluate",
    "npu.NPUEstimator.predict", "npu.NPUEstimator.evaluate",
)  # fmt: skip
"""Calls that load or use a trained network."""
_TRAINS_OR_EXPORTS = re.compile(
    r"\btrain_op\b|\btrain_step\b|\.minimize\(|\.apply_gradients\(|\.train\(|\.fit\(|"
    r"\.train_and_|TrainSpec|Optimizer\b|tf\.gradients\(|train_on_batch|"
    r"fit_generator|\bdef [Tt]rain|class \w*Trainer\b|export_saved_?model|freeze_graph|"
    r"convert_variables_to_constants|SavedModelBuilder|simple_save"
)
_HAS_MODE = "graph_run_mode"


@RULE.file
def suggest_run_mode(file: File) -> Diagnoses:
    """A script that loads a network and never trains one."""
    text = file.module.source.text
    if not file.is_entry or _HAS_MODE in text or _HAS_MODE in file.facts.npu_options:
        return
    first = min(callees.calls(file, *_LOADS), key=lambda call: position(call.node), default=None)
    if first is None or in_test(file, first.node):
        return
    if _TRAINS_OR_EXPORTS.search(text) or said(file.stem) is Purpose.TRAIN:
        return
    if "Estimator" in first.name:
        how = "pass graph_run_mode=0 to NPURunConfig"
    else:
        how = (
            "set it in the session config: custom_op.parameter_map['graph_run_mode'].i = 0, where "
            "custom_op is config.graph_options.rewrite_options.custom_optimizers[0]"
        )
    yield RULE.info(
        first,
        f"{file.brief(first.node.func)} runs a trained network in a script that never trains",
        todo=f"Compile for inference: {how}.",
    )
