"""Sessions that eager programs make for their GPU options only."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Rule, Status, removal
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf2 import _idle_sessions
from ascendify.source.nodes import block_of

RULE = Rule(
    code="TF2-GPU-11",
    title="Remove sessions that only set GPU options",
    why=(
        "Programs with eager execution make a session of compat.v1 so that TensorFlow takes "
        "memory of the GPU as it needs it; the session runs nothing. An NPU does not read these "
        "options, and a program that opens the NPU should have no session."
    ),
    statuses=(Status.AUTO,),
    before=(
        "config = tf.compat.v1.ConfigProto()\n"
        "config.gpu_options.allow_growth = True\n"
        "session = tf.compat.v1.InteractiveSession(config=config)\n"
        "model = tf.keras.models.load_model(path)"
    ),
    after="model = tf.keras.models.load_model(path)",
)


@RULE.call(*_idle_sessions.NAMES)
@outside_tests
def remove(site: CallSite) -> Diagnoses:
    """``session = tf.compat.v1.InteractiveSession(config=config)``, and nothing runs in it."""
    file = site.file
    if file.path in file.facts.graphs or not _idle_sessions.is_idle(file, site.node):
        return
    if site.args.starred or not all(removal.is_pure(file, item.value) for item in site.args):
        return
    statements = _idle_sessions.served(file, site.node)
    fix = site.fix()
    for number, item in enumerate(statements):
        block = block_of(item)
        if any(block_of(other) is block for other in statements[:number]) and all(
            other in statements for other in block
        ):
            continue  # removed with the whole block
        removal.remove(file, fix, item, lambda other: other in statements)
    yield RULE.auto(
        site,
        f"{site.brief} runs nothing; it only sets GPU options",
        done=f"Removed it{' and its config' if len(statements) > 1 else ''}.",
        fix=fix,
    )
