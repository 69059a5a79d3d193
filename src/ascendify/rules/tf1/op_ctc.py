"""CTC: report sparse labels of the loss, and decoders that do not run on the device."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Status
from ascendify.rules.tensorflow import host

RULE = Rule(
    code="TF1-OP-4",
    title="Give the CTC loss dense labels",
    why=(
        "The CTC loss of TensorFlow 1 takes sparse labels, whose shape changes from step to step; "
        "an NPU compiles a graph for fixed shapes. The second version takes dense ones."
    ),
    statuses=(Status.MANUAL, Status.INFO),
    before="loss = tf.nn.ctc_loss(labels, logits, sequence_length)",
)


@RULE.call("tf.nn.ctc_loss")
def report_loss(site: CallSite) -> Diagnoses:
    """The loss with sparse labels; the advice has the new call with the user's names."""
    file, args = site.file, site.args
    text = {item.name: file.brief(item.value) for item in args}
    logits = text.get("inputs") or text.get("logits", "logits")
    major = f", logits_time_major={text['time_major']}" if "time_major" in text else ""
    call = (
        f"tf.nn.ctc_loss_v2({text.get('labels', 'labels')}, {logits}, label_length=label_length, "
        f"logit_length=tf.cast({text.get('sequence_length', 'sequence_length')}, tf.int32)"
        f"{major}, blank_index=num_classes - 1)"
    )
    yield RULE.manual(
        site,
        f"{site.callee} takes sparse labels, whose shape changes from step to step",
        todo=(
            "Store and read labels as dense int32 [batch, longest label], padded with "
            f"num_classes - 1, beside their lengths label_length [batch]; then {call}."
        ),
        effort=Effort.HOURS,
    )


@RULE.call("tf.nn.ctc_beam_search_decoder", "tf.nn.ctc_beam_search_decoder_v2")
def report_decoder(site: CallSite) -> Diagnoses:
    """Beam search, which must run on the host."""
    file, args = site.file, site.args
    if host.runs_on_host(file, site.node):
        return
    logits = args.value("inputs") or args.value("logits")
    what = file.brief(logits) if logits else "the logits"
    yield RULE.manual(
        site,
        f"{site.callee} does not run on an NPU",
        todo=(
            f"Fetch {what} and decode after the run, or put the call under "
            "`with npu_scope.without_npu_compile_scope():` and migrate with --npu "
            "mix_compile_mode=true; tf.nn.ctc_greedy_decoder runs on the device."
        ),
    )


@RULE.call("tf.keras.backend.ctc_batch_cost", "tf.keras.backend.ctc_decode")
def report_keras(site: CallSite) -> Diagnoses:
    """Keras's helpers, which call the functions above."""
    yield RULE.manual(
        site,
        f"{site.callee} makes sparse labels inside, whose shape changes",
        todo=(
            "Compute the loss with tf.nn.ctc_loss_v2 on dense labels of a fixed length and "
            "decode with tf.nn.ctc_greedy_decoder, or on the host after the run."
        ),
        effort=Effort.HOURS,
    )


@RULE.call("tf.nn.ctc_greedy_decoder")
def report_greedy(site: CallSite) -> Diagnoses:
    """The greedy decoder, on whose support sources disagree."""
    yield RULE.info(
        site,
        f"{site.callee} is reported both to run and to fail on an NPU",
        todo=(
            "If it fails to compile, decode on the host: fetch the logits, or put the call under "
            "`with npu_scope.without_npu_compile_scope():` and migrate with --npu "
            "mix_compile_mode=true."
        ),
    )
