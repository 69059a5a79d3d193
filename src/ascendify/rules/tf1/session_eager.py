"""Sessions: report switches to eager execution."""

from __future__ import annotations

import ast

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.source.nodes import function_around
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TF1-SESS-6",
    title="Run graphs, not eager code",
    why=(
        "With TensorFlow 1.15 an NPU takes whole graphs from a session. Eager code runs operator "
        "by operator on the host and never reaches the device."
    ),
    statuses=(Status.BLOCKER, Status.MANUAL),
    before="tf.enable_eager_execution()",
)

_SWITCHES = tuple(
    f"tf.{name}"
    for name in ("enable_eager_execution", "contrib.eager.enable_eager_execution",
                 "enable_v2_behavior", "config.experimental_run_functions_eagerly",
                 "config.run_functions_eagerly")
)  # fmt: skip


@RULE.call(*_SWITCHES)
@outside_tests
def eager(site: CallSite) -> Diagnoses:
    """A switch to eager execution, always or on a condition."""
    argument = site.node.args[0] if site.node.args else None
    if argument is None and site.node.keywords and site.name.endswith("_eagerly"):
        argument = site.node.keywords[0].value
    if argument is not None and site.file.literal(argument) == (False,):
        return
    called = site.brief
    if _is_conditional(site):
        yield RULE.manual(
            site,
            f"{called} switches to eager execution on a condition",
            todo="Make sure this branch is not taken on the NPU.",
        )
        return
    yield RULE.blocker(
        site,
        f"{called} switches to eager execution, which cannot run on an NPU with TensorFlow 1.15",
        todo=(
            f"Remove {called} and run the model as a graph: build it once and run it in a "
            "tf.Session, or put it into the model_fn of an Estimator. Code that must stay eager "
            "needs TensorFlow 2 and npu_device."
        ),
    )


def _is_conditional(site: CallSite) -> bool:
    """Whether the call depends on more than the file being run as a script."""
    function = function_around(site.node)
    for ancestor in ancestors(site.node):
        if ancestor is function:
            return False
        if isinstance(ancestor, ast.If) and "__name__" not in site.file.text(ancestor.test):
            return True
    return False
