"""TensorBoard's profiler: off, as it sees nothing of an NPU."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status
from ascendify.rules.kit.tests import outside_tests

RULE = Rule(
    code="TF2-PROF-1",
    title="Do not let TensorBoard profile a batch",
    why=(
        "The callback profiles the second batch by default in TensorFlow 2.6. That profiler reads "
        "TensorFlow's kernels and CUDA; on an NPU it costs time and shows nothing."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="board = tf.keras.callbacks.TensorBoard('logs')",
    after="board = tf.keras.callbacks.TensorBoard('logs', profile_batch=0)",
)

_PARAMETER = "profile_batch"


@RULE.call("tf2.keras.callbacks.TensorBoard")
@outside_tests
def switch_off(site: CallSite) -> Diagnoses:
    """Set ``profile_batch`` to 0."""
    given = site.args.get(_PARAMETER)
    if given is not None and site.file.literal(given.value) == (0,):
        return
    found = f"{site.callee} profiles a batch with TensorFlow's profiler, which sees no NPU"
    if given is None and site.args.starred:
        yield RULE.manual(site, found, todo=f"Make sure that {_PARAMETER} is 0.")
        return
    fix = site.fix()
    if given is None:
        fix.add_argument(site.node, f"{_PARAMETER}=0")
        done = f"Added {_PARAMETER}=0."
    else:
        fix.replace(given.value, "0")
        done = f"Set {_PARAMETER} to 0; it was {site.file.brief(given.value, 40)}."
    yield RULE.auto(site, found, done=done, fix=fix)
