"""Strings in the network: report comparisons of string tensors."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Effort, File, Rule, Status
from ascendify.rules.kit.bindings import values
from ascendify.rules.tensorflow import dtypes, host
from ascendify.source.nodes import string

RULE = Rule(
    code="TF1-TYPE-2",
    title="Keep strings out of the network",
    why=(
        "Strings exist on the host only. A string tensor that reaches an operator of the "
        "network, such as a training phase compared with tf.equal, fails to compile."
    ),
    statuses=(Status.BLOCKER,),
    before="is_training = tf.equal(phase, tf.constant('train', dtype=tf.string))",
)


@RULE.call("tf.equal", "tf.not_equal")
def report_comparison(site: CallSite) -> Diagnoses:
    """A comparison of which one side is a string, as far as the file shows."""
    file = site.file
    x, y = site.args.value("x"), site.args.value("y")
    if x is None or y is None:
        return
    strings = [side for side in (x, y) if dtypes.of_tensor(file, side) == "string"]
    if not strings:
        return
    other = next((side for side in (x, y) if side is not strings[-1]), x)
    word = _word(file, strings[-1])
    shown = f"{word!r} as 1 and everything else as 0" if word else "each string as a small number"
    constant = "tf.constant(1, dtype=tf.int8)" if word else "tf.constant(number, dtype=tf.int8)"
    diagnosis = RULE.blocker(
        site,
        f"{site.brief} compares strings inside the network",
        todo=(
            f"Give {file.brief(other)} as an int8 tensor where it is made ({shown}) and compare "
            f"numbers: {site.callee}({file.brief(other)}, {constant}). Where the "
            "value is known in Python, a Python bool is simpler still."
        ),
        effort=Effort.MINUTES,
    )
    yield from host.in_network(file, site.node, diagnosis)


def _word(file: File, node: ast.expr) -> str | None:
    """The text of a string constant, ``'train'`` or ``tf.constant('train')``."""
    if (text := string(node)) is not None:
        return text
    if isinstance(node, ast.Call) and node.args and file.name(node.func) == "tf.constant":
        return _word(file, node.args[0])
    words = {_word(file, value) for value in values(file, node)}
    return words.pop() if len(words) == 1 else None
