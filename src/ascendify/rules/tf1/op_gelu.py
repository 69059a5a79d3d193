"""Gelu: make a function that computes its tanh form call the NPU's operator instead."""

from __future__ import annotations

import ast

from ascendify.rules.kit import Diagnoses, File, Rule, Status
from ascendify.rules.tensorflow import gelu, host
from ascendify.rules.tensorflow.gelu import Gelu

RULE = Rule(
    code="TF1-OP-2",
    title="Use the NPU's gelu",
    why=(
        "Written out, gelu is eight operators that each read and write the whole tensor; the NPU "
        "has one. It is found by its formula, whatever the function is called."
    ),
    statuses=(Status.AUTO, Status.INFO),
    before=(
        "def gelu(x):\n"
        "    cdf = 0.5 * (1.0 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))\n"
        "    return x * cdf"
    ),
    after="def gelu(x):\n    return npu_unary_ops.gelu(x)",
    safety="The operator computes the same formula; results agree to float rounding.",
)


@RULE.file
def use_npu_gelu(file: File) -> Diagnoses:
    """Replace the form with tanh, and report the one with erf."""
    for found in gelu.find(file):
        if not found.is_exact:
            yield from _replace(file, found)
            continue
        yield RULE.info(
            file.at(found.node),
            f"{found.title} computes gelu in its exact form, with erf",
            todo=(
                f"For speed, npu_unary_ops.gelu({found.parameter}) of npu_bridge.estimator."
                "npu_unary_ops may replace it; it is the tanh form, which differs by up to "
                "5e-4, so a trained model must be evaluated again."
            ),
        )


def _replace(file: File, found: Gelu) -> Diagnoses:
    body = found.body
    if body.last is None or host.runs_on_host(file, body.last):
        return
    fix = file.fix()
    module = fix.use("npu_bridge.estimator.npu_unary_ops", "npu_unary_ops")
    call = f"{module}.gelu({found.parameter})"
    if isinstance(body.last, ast.Return):
        for statement in body.elsewhere:
            fix.remove_statement(statement)
        first = body.before[0] if body.before else body.last
        start, end = file.module.start(first), file.module.end(body.last)
        fix.replace_range(start, end, f"return {call}")
    else:
        fix.replace(body.last, call)
    yield RULE.auto(
        file.at(found.node),
        f"{found.title} computes gelu with single operators",
        done=f"Replaced the computation by {call}.",
        fix=fix,
    )
