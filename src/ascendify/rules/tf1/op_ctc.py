"""CTC: compute the loss from dense labels, and decode on the host."""

from __future__ import annotations

import ast

from ascendify.rules.helpers import CTC
from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tensorflow import host
from ascendify.rules.tf1 import _ctc
from ascendify.source.nodes import last_name
from ascendify.source.scopes import ancestors

RULE = Rule(
    code="TF1-OP-4",
    title="Compute the CTC loss from dense labels and decode on the host",
    why=(
        "The CTC loss of TensorFlow 1 takes sparse labels, whose shape changes from step to step; "
        "an NPU compiles a graph for fixed shapes. The second version takes dense ones. Decoders "
        "give sparse results whose size the data decides, so they run on the host."
    ),
    statuses=(Status.AUTO, Status.MANUAL),
    before="loss = tf.nn.ctc_loss(labels, logits, sequence_length)",
    after="loss = npu_ctc.ctc_loss(labels, logits, sequence_length)",
)


@RULE.call("tf.nn.ctc_loss")
@outside_tests
def use_dense_labels(site: CallSite) -> Diagnoses:
    """The loss with sparse labels; its arguments stay as they are."""
    file, args = site.file, site.args
    given = args.value("ctc_merge_repeated")
    if given is not None and file.literal(given) != (True,):
        yield RULE.manual(
            site,
            f"{site.callee} takes sparse labels and ctc_merge_repeated={file.brief(given)}, which "
            "the version for dense labels does not have",
            todo="Leave ctc_merge_repeated out if True is what you want, and migrate again.",
            effort=Effort.HOURS,
        )
        return
    if not _ctc.runs_on_release_1(file):
        yield RULE.manual(
            site,
            f"{site.callee} takes sparse labels, whose shape changes from step to step",
            todo=(
                "Use tf.nn.ctc_loss_v2 with dense labels [batch, longest label], their lengths "
                "and blank_index=-1."
            ),
            effort=Effort.HOURS,
        )
        return
    yield from _replaced(
        site,
        f"{site.callee} takes sparse labels, whose shape changes from step to step",
        "tf.nn.ctc_loss_v2 computes it from dense labels of one size",
    )


@RULE.call(*_ctc.DECODERS)
@outside_tests
def decode_on_host(site: CallSite) -> Diagnoses:
    """A decoder or the distance of its result, which the host computes beside the network."""
    file = site.file
    if host.runs_on_host(file, site.node) or _is_kept_on_host(site.node):
        return
    found = f"{site.callee} gives or takes a sparse tensor whose size the data decides"
    if not _ctc.runs_on_release_1(file) or not _ctc.is_mixed(file):
        yield RULE.manual(
            site,
            found,
            todo=(
                "Fetch the logits and decode after the run; or migrate with --npu "
                "mix_compile_mode=true, which keeps this operator on the host."
            ),
        )
        return
    yield from _replaced(site, found, "it runs on the host, with mix_compile_mode of npu_options")


@RULE.call("tf.keras.backend.ctc_batch_cost", "tf.keras.backend.ctc_decode")
def report_keras(site: CallSite) -> Diagnoses:
    """Keras's helpers, which call the functions above."""
    yield RULE.manual(
        site,
        f"{site.callee} makes sparse labels inside, whose shape changes",
        todo=(
            "Compute the loss with tf.nn.ctc_loss_v2 on dense labels of a fixed length and "
            "decode on the host after the run."
        ),
        effort=Effort.HOURS,
    )


def _replaced(site: CallSite, found: str, how: str) -> Diagnoses:
    """Call the function of the same name in the helper module."""
    fix = site.fix()
    function = f"{fix.use(CTC)}.{site.name.rpartition('.')[2]}"
    fix.replace(site.node.func, function)
    yield RULE.auto(site, found, done=f"Called {function} of {CTC}.py: {how}.", fix=fix)


def _is_kept_on_host(node: ast.AST) -> bool:
    """Whether a node is in a scope whose operators are not compiled for the device."""
    return any(
        isinstance(item.context_expr, ast.Call)
        and last_name(item.context_expr.func) == "without_npu_compile_scope"
        for around in ancestors(node)
        if isinstance(around, ast.With)
        for item in around.items
    )
