"""Thread counts: neither before nor behind the opening of the NPU do they hold."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status, removal
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf2 import _program
from ascendify.source.nodes import block_of

RULE = Rule(
    code="TF2-INIT-4",
    title="Set the host's thread counts in the environment",
    why=(
        "npu_device.open() replaces and starts TensorFlow's eager context. Thread counts set "
        "before are forgotten; behind it tf.config.threading raises RuntimeError, because they "
        "cannot be modified after initialization. TensorFlow reads TF_NUM_INTRAOP_THREADS and "
        "TF_NUM_INTEROP_THREADS when it starts."
    ),
    statuses=(Status.AUTO_CHECK, Status.MANUAL),
    before="tf.config.threading.set_intra_op_parallelism_threads(8)\ntf.random.set_seed(1)",
    after="tf.random.set_seed(1)",
    safety="TensorFlow chooses the number of the host's threads, unless the variables are set.",
)

_VARIABLES = {
    "tf2.config.threading.set_intra_op_parallelism_threads": "TF_NUM_INTRAOP_THREADS",
    "tf2.config.threading.set_inter_op_parallelism_threads": "TF_NUM_INTEROP_THREADS",
}


@RULE.call(*_VARIABLES)
@outside_tests
def remove_count(site: CallSite) -> Diagnoses:
    """``tf.config.threading.set_intra_op_parallelism_threads(8)``."""
    file = site.file
    if _program.is_run(file) and not _program.computes(file):
        return  # it prepares data on the host and opens no NPU
    count = site.args.value("num_threads")
    value = "N" if count is None or file.literal(count) is None else file.text(count)
    found = f"{site.brief} fails once the NPU is open, and is forgotten before"
    todo = f"To set it, start the program with {_VARIABLES[site.name]}={value} in its environment."
    if not (isinstance(site.statement, ast.Expr) and block_of(site.statement)):
        yield RULE.manual(site, found, todo=f"Remove it. {todo}")
        return
    fix = site.fix()
    removal.remove(file, fix, site.node, lambda item: False)
    yield RULE.auto_check(site, found, done="Removed it.", todo=todo, fix=fix)
