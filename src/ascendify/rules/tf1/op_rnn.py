"""Recurrent networks: report cuDNN layers, and compute LSTM layers with the NPU's operator."""

from __future__ import annotations

from ascendify.rules.helpers import LSTM
from ascendify.rules.kit import CallSite, Diagnoses, Effort, Rule, Site, Status
from ascendify.rules.kit.tests import outside_tests
from ascendify.rules.tf1 import _ctc

RULE = Rule(
    code="TF1-OP-3",
    title="Run recurrent networks without cuDNN",
    why=(
        "cuDNN's recurrent layers exist on GPUs only. TensorFlow's own dynamic_rnn works on an "
        "NPU, as a loop over time steps that the device cannot unroll."
    ),
    statuses=(Status.BLOCKER, Status.AUTO, Status.INFO),
    before="outputs, state = tf.nn.dynamic_rnn(cell, inputs, dtype=tf.float32)",
    after="outputs, state = npu_lstm.dynamic_rnn(cell, inputs, dtype=tf.float32)",
    safety=(
        "Loops are rewritten with --dynamic-rnn only. Variables keep their names and shapes, so "
        "checkpoints of the original load. Cells that DynamicRNN cannot compute stay loops, and a "
        "warning says so when the graph is built."
    ),
)

_CUDNN = {
    "CudnnLSTM": "tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell",
    "CudnnGRU": "tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell",
    "CudnnRNNTanh": "tf.nn.rnn_cell.BasicRNNCell",
    "CudnnRNNRelu": "tf.nn.rnn_cell.BasicRNNCell with activation=tf.nn.relu",
}
"""Layers of tf.contrib.cudnn_rnn -> the cell that computes the same on any device."""


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
            "For speed, use BasicLSTMCell in place of a compatible LSTM cell and migrate with "
            "--dynamic-rnn."
        ),
        effort=Effort.HOURS,
    )


_LOOPS = (
    "tf.nn.dynamic_rnn",
    "tf.nn.bidirectional_dynamic_rnn",
    "tf.nn.static_rnn",
    "tf.nn.static_bidirectional_rnn",
    "tf.contrib.rnn.static_rnn",
    "tf.contrib.rnn.static_bidirectional_rnn",
    "tf.contrib.rnn.stack_bidirectional_dynamic_rnn",
    "tf.contrib.rnn.stack_bidirectional_rnn",
)
"""Functions that run a cell over time, one operator of the graph or more for each step."""
_SUGGESTED = tuple(name for name in _LOOPS if name.endswith("dynamic_rnn"))
"""Functions that are a loop on the device, for which DynamicRNN is suggested."""


@RULE.call(*_LOOPS)
@outside_tests
def use_dynamic_rnn(site: CallSite) -> Diagnoses:
    """Compute a layer with one operator where that is requested; suggest it elsewhere."""
    if not _ctc.runs_on_release_1(site.file):
        return
    if site.file.facts.dynamic_rnn:
        fix = site.fix()
        function = f"{fix.use(LSTM)}.{site.name.rpartition('.')[2]}"
        fix.replace(site.node.func, function)
        yield RULE.auto(
            site,
            f"{site.callee} computes every time step with operators of its own",
            done=(
                f"Called {function} of {LSTM}.py: DynamicRNN computes all steps of an LSTM layer "
                "with the same weights, under the same names."
            ),
            fix=fix,
        )
    elif site.name in _SUGGESTED:
        yield RULE.info(
            site,
            f"{site.callee} runs as a loop over time steps, which an NPU does slowly",
            todo=(
                "If its cells are LSTM cells, migrate with --dynamic-rnn: one operator computes "
                "all steps, and checkpoints stay the same."
            ),
        )
