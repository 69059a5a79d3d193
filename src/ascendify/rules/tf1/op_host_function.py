"""Python functions in the graph: report them, because the device cannot run them."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.tensorflow import host

RULE = Rule(
    code="TF1-OP-8",
    title="Keep Python functions out of the network",
    why=(
        "A Python function cannot be compiled for the device. Inside the network it splits the "
        "graph, which needs mixed computing and rules out iteration offload."
    ),
    statuses=(Status.MANUAL,),
    before="boxes = tf.py_func(match, [anchors, labels], tf.float32)",
)


@RULE.call(
    "tf.py_func", "tf.py_function", "tf.numpy_function", "tf.contrib.eager.py_func",
    "tf.compat.v2.py_function", "tf.compat.v2.numpy_function",
)  # fmt: skip
def report_function(site: CallSite) -> Diagnoses:
    """A Python function outside the input pipeline."""
    file = site.file
    function = site.args.value("func")
    what = "a function"
    if function is not None and not isinstance(function, ast.Lambda):
        what = file.brief(function)
    diagnosis = RULE.manual(
        site,
        f"{site.callee} calls {what} on the host from inside the network",
        todo=(
            "If it only prepares data, call it in Dataset.map; if it only computes a metric "
            "or a picture, call it after the run. Otherwise write it with TensorFlow operators, "
            "or keep it under `with npu_scope.without_npu_compile_scope():` "
            "(npu_bridge.estimator.npu) and migrate with --npu mix_compile_mode=true."
        ),
        effort=Effort.HOURS,
        cause=site.path,
    )
    yield from host.in_network(file, site.node, diagnosis)
