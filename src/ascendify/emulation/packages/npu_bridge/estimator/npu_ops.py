"""Operators of the device: initialisation, dropout, optimizer updates, cells and channels."""

import collections
import queue
import threading

import numpy as np
from ascendify_runtime.framework import tf

from npu_bridge.helper import formulas, host

_STOP = object()


def NPUInit(name=None):
    """Return a node that joins this process to the job."""
    host.refuse_eager("tf.NPUInit")
    return host.effect("NPUInit", _initialise, [], name)


def NPUShutdown(name=None):
    """Return a node that leaves the job."""
    host.refuse_eager("tf.NPUShutdown")
    return host.effect("NPUShutdown", _shut_down, [], name)


def initialize_system(name=None):
    return NPUInit(name)


def shutdown_system(name=None):
    return NPUShutdown(name)


def _initialise():
    from ascendify_runtime.world import world

    world().initialise()


def _shut_down():
    from ascendify_runtime.world import world

    world().shut_down()


def LARS(inputs_w, inputs_g, weight_decay, hyperpara=0.001, epsilon=0.00001, name=None):
    host.refuse_eager("tf.LARS")
    return formulas.lars(inputs_w, inputs_g, weight_decay, hyperpara, epsilon, name)


def LARSV2(
    input_weight,
    input_grad,
    weight_decay,
    learning_rate,
    hyperpara=0.001,
    epsilon=0.00001,
    use_clip=False,
    name=None,
):
    host.refuse_eager("tf.LARSV2")
    return formulas.lars_v2(
        input_weight,
        input_grad,
        weight_decay,
        learning_rate,
        hyperpara,
        epsilon,
        use_clip,
        name,
    )


class _Channels:
    """Queues by name, shared by all graphs and sessions of the process."""

    def __init__(self):
        self._lock = threading.Lock()
        self._queues = collections.defaultdict(queue.Queue)

    def __getitem__(self, name):
        with self._lock:
            return self._queues[name]


_channels = _Channels()


def outfeed_dequeue_op(channel_name, output_types, output_shapes, name=None):
    """Return the next values of a channel; waits for them, out of range after it is stopped."""
    if len(output_types) != len(output_shapes):
        raise ValueError(
            "`output_shapes` must be the same length as `output_types` (%d vs. %d)"
            % (len(output_shapes), len(output_types))
        )
    types = [tf.as_dtype(dtype) for dtype in output_types]

    def dequeue():
        channel = _channels[channel_name]
        values = channel.get()
        if values is _STOP:
            channel.put(_STOP)  # for the next waiting reader
            raise StopIteration("channel %s is stopped" % channel_name)
        if len(values) != len(types):
            raise ValueError(
                "channel %s carries %d values, %d are taken from it"
                % (channel_name, len(values), len(types))
            )
        return [np.asarray(value, dtype.as_numpy_dtype) for value, dtype in zip(values, types)]

    return host.call("OutfeedDequeueOp", dequeue, [], types, output_shapes, name)


def outfeed_enqueue_op(channel_name, inputs, name=None):
    """Return a node that puts the values of ``inputs`` into a channel."""

    def enqueue(*values):
        _channels[channel_name].put([np.array(value) for value in values])

    return host.effect("OutfeedEnqueueOp", enqueue, inputs, name)


def stop_outfeed_dequeue_op(channel_name, name=None):
    """Return a node that stops a channel after its remaining values."""

    def stop():
        _channels[channel_name].put(_STOP)

    return host.effect("StopOutfeedDequeueOp", stop, [], name)


def channel_get_next(channel_name, output_types, output_shapes):
    """Return the next values of a channel, as :func:`outfeed_dequeue_op`."""
    return outfeed_dequeue_op(channel_name, output_types, output_shapes, name="ChannelGetNext")


def dropout(x, keep_prob, noise_shape=None, seed=None, name=None):
    """Apply dropout to ``x`` with the random numbers of tf.nn.dropout."""
    host.refuse_eager("npu_ops.dropout")
    return formulas.dropout(x, keep_prob, noise_shape, seed, name)


def basic_lstm_cell(x, h, c, w, b, keep_prob, forget_bias, state_is_tuple, activation, name=None):
    """One LSTM step: next c and h, the gates i, j, f, o after their activation, and tanh(c)."""
    host.refuse_eager("tf.basic_lstm_cell")
    x, h, c, w, b = (
        tf.convert_to_tensor(value, name=label)
        for value, label in ((x, "x"), (h, "h"), (c, "c"), (w, "w"), (b, "b"))
    )
    host.require_type(x, "x")
    if keep_prob != 1.0 or activation != "tanh" or not state_is_tuple:
        raise host.unavailable(
            "basic_lstm_cell with keep_prob=%r, activation=%r, state_is_tuple=%r"
            % (keep_prob, activation, state_is_tuple),
            "only keep_prob=1.0, activation='tanh' and state_is_tuple=True are documented",
        )
    with tf.name_scope(name, "BasicLSTMCell", [x, h, c, w, b]):
        return formulas.lstm_step(x, h, c, w, b, forget_bias)


def adam_apply_one_assign(
    input0,
    input1,
    input2,
    input3,
    input4,
    mul0_x,
    mul1_x,
    mul2_x,
    mul3_x,
    add2_y,
    name=None,
):
    """Adam without bias correction, in place.

    The inputs are the gradient, the second moment, the first moment, the weight, the learning rate;
    then beta1, 1-beta1, beta2, 1-beta2 and epsilon.
    """
    host.refuse_eager("tf.adam_apply_one_assign")
    with tf.name_scope(name, "AdamApplyOneAssign"):
        results = formulas.adam_step(
            input0, input1, input2, input3, input4, (mul0_x, mul1_x, mul2_x, mul3_x), add2_y
        )
        return _assign_all((input1, input2, input3), results)


def adam_apply_one_with_decay_assign(
    input0,
    input1,
    input2,
    input3,
    input4,
    mul0_x,
    mul1_x,
    mul2_x,
    mul3_x,
    mul4_x,
    add2_y,
    name=None,
):
    """As :func:`adam_apply_one_assign`, with ``mul4_x`` as the weight decay."""
    host.refuse_eager("tf.adam_apply_one_with_decay_assign")
    with tf.name_scope(name, "AdamApplyOneWithDecayAssign"):
        results = formulas.adam_step(
            input0,
            input1,
            input2,
            input3,
            input4,
            (mul0_x, mul1_x, mul2_x, mul3_x),
            add2_y,
            decay=mul4_x,
        )
        return _assign_all((input1, input2, input3), results)


def _assign_all(variables, values):
    """Assign after all values are computed, so that none is read after a partial update."""
    with tf.control_dependencies(values):
        return tf.group(
            *[
                formulas.assign(variable, value, "input%d" % number)
                for number, (variable, value) in enumerate(zip(variables, values), start=1)
            ]
        )


def scatter_elements(data, indices, updates, axis=0, name=None):
    data = tf.convert_to_tensor(data, name="data")
    indices = tf.convert_to_tensor(indices, name="indices")
    updates = tf.convert_to_tensor(updates, name="updates")
    return formulas.scatter_elements(data, indices, updates, axis, name)


def k_means_centroids(x, y, sum_square_y, sum_square_x, use_actual_distance=False, name=None):
    """Return sum and count of the points by nearest centroid, and the sum of the distances.

    The distances are complete if ``sum_square_x`` is given; the flag has no effect.
    """
    del use_actual_distance
    host.refuse_eager("tf.k_means_centroids")
    x = tf.convert_to_tensor(x, name="x")
    y = tf.convert_to_tensor(y, name="y")
    host.require_type(x, "x", ("float32",))
    return formulas.k_means_centroids(x, y, sum_square_y, sum_square_x, name)


def npu_onnx_graph_op(inputs, tout, model_path, name=None):
    raise host.unavailable(
        "npu_onnx_graph_op", "the ONNX model is compiled and run by the device's own parser"
    )
