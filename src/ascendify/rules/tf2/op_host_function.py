"""Python functions in a model: they run on the host and split the device's graph."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from ascendify.rules.kit import CallSite, Diagnoses, Diagnosis, File, Rule, Status
from ascendify.rules.kit.once import words
from ascendify.rules.tensorflow import host

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


_FUNCTIONS = ("tf2.py_function", "tf2.numpy_function", "tf.py_func")


@RULE.file
def report_functions(file: File) -> Diagnoses:
    """Report once per file all lines that call such a function in the model."""
    found = list(_in_model(file))
    if not found:
        return
    site, diagnosis = found[0]
    others = words(sorted({item.node.lineno for item, _ in found} - {site.node.lineno}))
    finding = diagnosis.finding
    yield Diagnosis(replace(finding, found=f"{finding.found}{others}"))


def _in_model(file: File) -> Iterator[tuple[CallSite, Diagnosis]]:
    for site in file.calls(*_FUNCTIONS):
        for diagnosis in host.in_network(file, site.node, _of_call(site)):
            yield site, diagnosis


def _of_call(site: CallSite) -> Diagnosis:
    function = site.args.value("func")
    plain = function is None or isinstance(function, ast.Lambda)
    what = "a function" if function is None or plain else site.file.brief(function, 40)
    return RULE.manual(
        site,
        f"{site.callee} calls {what} on the host from inside the model",
        todo=(
            "What only prepares data belongs in Dataset.map, what only computes a metric or a "
            "picture behind the step. Write the rest with TensorFlow operators, or accept that "
            "the graph is split there."
        ),
    )
