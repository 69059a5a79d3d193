"""Export: report saved graphs that may hold operators only the NPU has."""

from __future__ import annotations

import re

from ascendify.rules.kit import CallSite, Diagnoses, File, Rule, Status
from ascendify.rules.kit.tests import outside_tests

RULE = Rule(
    code="TF1-EVAL-3",
    title="Export graphs without NPU operators",
    why=(
        "Operators such as the NPU's dropout and gelu are unknown to plain TensorFlow: a saved "
        "graph that holds one cannot be loaded on another machine."
    ),
    statuses=(Status.MANUAL,),
    before=(
        "logits = tf.nn.dropout(logits, 0.5)\n"
        "tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, ['logits'])"
    ),
)

_EXPORTS = (
    "tf.graph_util.convert_variables_to_constants", "tf.python.tools.freeze_graph.freeze_graph",
    "tf.python.tools.freeze_graph.freeze_graph_with_def_protos", "tf.saved_model.simple_save",
    "tf.saved_model.Builder.add_meta_graph_and_variables",
    "tf.estimator.Estimator.export_savedmodel", "tf.estimator.Estimator.export_saved_model",
    "npu.NPUEstimator.export_savedmodel", "npu.NPUEstimator.export_saved_model",
)  # fmt: skip
_NPU_ONLY = re.compile(r"\bdropout\b|\bgelu\b|\bnpu_ops\b|\bnpu_\w+_ops\b|\bDynamicRNN\b", re.I)
"""NPU operators, and operators that the migration replaces by NPU operators."""
_MAX_FILES = 60


@RULE.call(*_EXPORTS)
@outside_tests
def report_export(site: CallSite) -> Diagnoses:
    """An export of a graph that may hold NPU operators."""
    operator = _npu_operator(site.file)
    if operator is None:
        return
    yield RULE.manual(
        site,
        f"{site.callee} saves a graph, and the project uses {operator}, which "
        "is an NPU operator after migration",
        todo=(
            "Build the graph to export anew, with training off so that dropout is not in it and "
            "with TensorFlow's own operators elsewhere, restore the checkpoint into it on the CPU "
            "and save that. For offline inference, convert the saved graph with ATC."
        ),
        cause=operator,
    )


def _npu_operator(file: File) -> str | None:
    """The first such operator in this file or in one it imports, directly or not."""
    project = file.resolver.project
    pending, seen = [file.path], {file.path}
    while pending and len(seen) <= _MAX_FILES:
        path = pending.pop(0)
        module = file.module if path == file.path else project.module(path)
        if module is None:
            continue
        match = _NPU_ONLY.search(module.source.text)
        if match is not None:
            return match[0]
        for imported in project.imports(path, module.source.text):
            if imported not in seen:
                seen.add(imported)
                pending.append(imported)
    return None
