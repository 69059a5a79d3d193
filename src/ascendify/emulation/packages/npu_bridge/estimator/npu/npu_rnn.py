"""Recurrent layers with an unrolled loop, as the device needs them."""

from ascendify_runtime.framework import tf


def npu_dynamic_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    """Run ``cell`` over time-major ``inputs``; return time-major outputs and the last state."""
    outputs, state = tf.nn.static_rnn(
        cell,
        tf.unstack(inputs, axis=0),
        initial_state=initial_state,
        dtype=dtype,
        sequence_length=sequence_length,
        scope=scope,
    )
    return tf.stack(outputs, axis=0), state
