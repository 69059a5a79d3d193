"""Python functions in a model: they run on the host, so the device's graph ends before them."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.tf1 import _host

RULE = Rule(
    code="TF2-OP-8",
    title="Keep Python functions out of the model",
    why=(
        "A Python function cannot be compiled for the device. Inside a model or a training step it "
        "splits the graph: data goes to the host and back in every step. The input pipeline may "
        "call what it likes."
    ),
    statuses=(Status.MANUAL,),
    before="boxes = tf.py_function(match, [anchors, labels], tf.float32)",
)


@RULE.call("tf2.py_function", "tf2.numpy_function", "tf.py_func")
def tell_function(site: CallSite) -> Diagnoses:
    """Say the ways out."""
    file = site.file
    function = site.args.value("func")
    plain = function is None or isinstance(function, ast.Lambda)
    what = "a function" if function is None or plain else file.brief(function)
    it = "it" if plain else what
    diagnosis = RULE.manual(
        site,
        f"{site.callee} calls {what} on the host from inside the model",
        todo=(
            f"If {it} only prepares data, call it in Dataset.map; if it only computes a metric or "
            "a picture, call it after the step. Otherwise write it with TensorFlow operators, or "
            "accept that the graph is split there."
        ),
        effort=Effort.HOURS,
    )
    yield from _host.in_network(file, site.node, diagnosis)
