"""Arguments of tf.function that npu_device's version takes by name only."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status

RULE = Rule(
    code="TF2-FUNC-2",
    title="Give arguments of tf.function by name",
    why=(
        "Once the NPU is open, tf.function is npu_device's version of it, which takes the function "
        "by position and everything else by name: a second argument by position is a TypeError."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="step = tf.function(train_step, signature)",
    after="step = tf.function(train_step, input_signature=signature)",
)

_SAME_IN_ALL_RELEASES = 3
"""The function, input_signature and autograph; later parameters moved between releases."""


@RULE.call("tf2.function")
def name_arguments(site: CallSite) -> Diagnoses:
    """``tf.function(f, [tf.TensorSpec(...)])``."""
    positional = site.node.args
    if len(positional) < 2 or site.args.starred:
        return
    found = f"{site.brief} gives more than the function by position"
    if len(positional) > _SAME_IN_ALL_RELEASES:
        yield RULE.manual(site, found, todo="Give every argument but the function by its name.")
        return
    fix = site.fix()
    for argument in site.args:
        if argument.keyword is None and argument.name != "func":
            fix.name_argument(argument)
    yield RULE.auto(site, found, done="Gave them by name.", fix=fix)
