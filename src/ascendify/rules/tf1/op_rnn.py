"""Recurrent networks: report cuDNN layers, and suggest faster forms of loops over time."""

from __future__ import annotations

from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Site, Status

RULE = Rule(
    code="TF1-OP-3",
    title="Run recurrent networks without cuDNN",
    why=(
        "cuDNN's recurrent layers exist on GPUs only. TensorFlow's own dynamic_rnn works on an "
        "NPU, as a loop over time steps that the device cannot unroll."
    ),
    statuses=(Status.BLOCKER, Status.INFO),
    before="outputs, state = tf.contrib.cudnn_rnn.CudnnLSTM(1, units)(inputs)",
)

_CUDNN = {
    "CudnnLSTM": "tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell",
    "CudnnGRU": "tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell",
    "CudnnRNNTanh": "tf.nn.rnn_cell.BasicRNNCell",
    "CudnnRNNRelu": "tf.nn.rnn_cell.BasicRNNCell with activation=tf.nn.relu",
}
"""Layers of tf.contrib.cudnn_rnn and the cell that computes the same step anywhere."""


@RULE.reference(*(f"tf.contrib.cudnn_rnn.{name}" for name in _CUDNN))
def report_cudnn(site: Site) -> Diagnoses:
    """A cuDNN layer, with the cell that replaces it."""
    cell = _CUDNN[site.name.rpartition(".")[2]]
    yield RULE.blocker(
        site,
        f"{site.brief} is a cuDNN layer, which runs on GPUs only",
        todo=(
            f"Use {cell} in tf.nn.dynamic_rnn (time_major=True keeps the layout), one cell per "
            "layer; the compatible cells load checkpoints written through the cuDNN saveable. "
            "For speed and without old checkpoints, use DynamicRNN(units, tf.float32) of "
            "npu_bridge.estimator.npu.npu_dynamic_rnn."
        ),
        effort=Effort.HOURS,
    )


@RULE.call("tf.nn.dynamic_rnn", "tf.nn.bidirectional_dynamic_rnn")
def suggest_static(site: CallSite) -> Diagnoses:
    """Suggest the unrolled form where the number of time steps is fixed."""
    file, args = site.file, site.args
    spelled = site.callee
    todo = ""
    if site.name == "tf.nn.dynamic_rnn":
        cell, inputs = args.value("cell"), args.value("inputs")
        major = args.value("time_major")
        time_major = major is not None and file.literal(major) == (True,)
        if cell is not None and inputs is not None and not args.starred:
            tensor = file.brief(inputs)
            tensor = tensor if time_major else f"tf.transpose({tensor}, [1, 0, 2])"
            given = f"{file.brief(cell)}, {tensor}"
            kept = "".join(
                f", {name}={file.brief(value)}"
                for name in ("initial_state", "dtype", "sequence_length", "scope")
                if (value := args.value(name)) is not None
            )
            back = "" if time_major else " and transpose the outputs back"
            todo = (
                "If it is the bottleneck and the number of time steps is fixed: "
                f"npu_rnn.npu_dynamic_rnn({given}{kept}) of npu_bridge.estimator.npu{back}."
            )
    else:
        todo = (
            "If it is the bottleneck and the number of time steps is fixed, use "
            "tf.nn.static_bidirectional_rnn over tf.unstack(inputs, axis=1)."
        )
    yield RULE.info(
        site, f"{spelled} runs as a loop over time steps, which an NPU does slowly", todo=todo
    )
