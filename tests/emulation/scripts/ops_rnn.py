"""Recurrent layers against numpy and against TensorFlow's cells."""

import numpy as np
from ascendify_runtime.framework import tf
from keras_2 import KERAS, LAYERS, needs_keras_2
from npu_bridge.estimator.npu import npu_dynamic_rnn, npu_rnn
from ops_harness import evaluate, numbers, same
from ops_values import sigmoid

TIME, BATCH, INPUT, HIDDEN = 4, 3, 2, 5
LENGTHS = np.array([4, 2, 1], np.int32)


def numpy_lstm(x, w, b, h, c, forget_bias=0.0, lengths=None):
    outputs = []
    for time, part in enumerate(x):
        i, j, f, o = np.split(np.concatenate([part, h], 1) @ w + b, 4, axis=1)
        i, j, f, o = sigmoid(i), np.tanh(j), sigmoid(f + forget_bias), sigmoid(o)
        next_c = c * f + i * j
        next_h = np.tanh(next_c) * o
        live = np.ones([len(part), 1], bool) if lengths is None else (time < lengths)[:, None]
        tanhc = np.tanh(next_c)
        y = np.where(live, next_h, 0)
        h, c = np.where(live, next_h, h), np.where(live, next_c, c)
        outputs.append((y, h, c, i, j, f, o, tanhc))
    return [np.array(part) for part in zip(*outputs)]


def layer_values(layer, outputs, initial=()):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        weights = list(layer.trainable_weights)
        return session.run([weights, list(outputs)])


def zeros():
    return np.zeros([BATCH, HIDDEN], "f")


@needs_keras_2(LAYERS)
def check_lstm():
    layer = npu_dynamic_rnn.DynamicRNN(HIDDEN, tf.float32, forget_bias=0.7)
    x = numbers(TIME, BATCH, INPUT)
    outputs = layer(tf.constant(x))
    assert outputs._fields == ("y", "output_h", "output_c", "i", "j", "f", "o", "tanhc")
    assert outputs.y.shape.as_list() == [TIME, BATCH, HIDDEN]
    names = [variable.op.name.split("/", 1)[1] for variable in layer.weights]
    assert names == ["dynamicrnn/w", "dynamicrnn/b", "dynamicbase/seq_length"], names
    shapes = [variable.shape.as_list() for variable in layer.weights]
    assert shapes == [[INPUT + HIDDEN, 4 * HIDDEN], [4 * HIDDEN], [BATCH]]
    (w, b), found = layer_values(layer, outputs)
    assert not b.any()
    bound = np.sqrt(6.0 / (INPUT + HIDDEN + 4 * HIDDEN))
    assert np.abs(w).max() <= bound
    for value, expected in zip(found, numpy_lstm(x, w, b, zeros(), zeros(), 0.7)):
        same(value, expected)


@needs_keras_2(LAYERS)
def check_lstm_weights_start_the_same_in_every_graph():
    starts = []
    for _ in range(2):
        with tf.Graph().as_default():
            layer = npu_dynamic_rnn.DynamicRNN(HIDDEN, tf.float32)
            outputs = layer(tf.constant(numbers(TIME, BATCH, INPUT)))
            starts.append(layer_values(layer, outputs)[0][0])
    same(starts[0], starts[1])


@needs_keras_2(LAYERS)
def check_lstm_with_lengths_states_weights_and_unknown_sizes():
    x = numbers(TIME, BATCH, INPUT)
    w, b = numbers(INPUT + HIDDEN, 4 * HIDDEN, seed=1), numbers(4 * HIDDEN, seed=2)
    h, c = numbers(BATCH, HIDDEN, seed=4), numbers(BATCH, HIDDEN, seed=5)
    feed = tf.placeholder(tf.float32, [None, None, INPUT])
    layer = npu_dynamic_rnn.DynamicRNN(HIDDEN, tf.float32)
    outputs = layer(
        feed,
        seq_length=tf.constant(LENGTHS),
        init_h=tf.constant(h[None]),
        init_c=tf.constant(c),
        weight=tf.constant(w),
        bias=tf.constant(b),
    )
    assert layer.weights[-1].shape.as_list() == [16]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        found = session.run(list(outputs), {feed: x})
    for value, expected in zip(found, numpy_lstm(x, w, b, h, c, lengths=LENGTHS)):
        same(value, expected)


@needs_keras_2(LAYERS)
def check_lstm_is_tensorflows_with_gradients():
    x = tf.constant(numbers(TIME, BATCH, INPUT))
    lengths = tf.constant(LENGTHS)
    w = tf.constant(numbers(INPUT + HIDDEN, 4 * HIDDEN, seed=1))
    b = tf.constant(numbers(4 * HIDDEN, seed=2))
    ours = npu_dynamic_rnn.DynamicRNN(HIDDEN, tf.float32, forget_bias=1.0)(
        x, seq_length=lengths, weight=w, bias=b
    )
    cell = tf.nn.rnn_cell.BasicLSTMCell(HIDDEN)
    theirs, state = tf.nn.dynamic_rnn(
        cell, x, sequence_length=lengths, time_major=True, dtype=tf.float32
    )
    kernel, bias = cell.variables
    weight = numbers(TIME, BATCH, HIDDEN, seed=8)
    of_ours = tf.gradients(ours.y * weight, [x, w, b])
    of_theirs = tf.gradients(theirs * weight, [x, kernel, bias])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run([kernel.assign(w), bias.assign(b)])
        found = session.run([ours.y, ours.output_h[-1], ours.output_c[-1], *of_ours])
        expected = session.run([theirs, state.h, state.c, *of_theirs])
    for value, wanted in zip(found, expected):
        same(value, wanted, 1e-4)


@needs_keras_2(LAYERS)
def check_lstm_in_both_directions():
    x = numbers(TIME, BATCH, INPUT)
    for lengths in (None, LENGTHS):
        layer = npu_dynamic_rnn.DynamicRNN(HIDDEN, tf.float32, direction="BIDIRECTIONAL")
        outputs = layer(tf.constant(x), seq_length=lengths)
        assert outputs.y.shape.as_list() == [2, TIME, BATCH, HIDDEN]
        (w, b), found = layer_values(layer, outputs)
        forwards = numpy_lstm(x, w, b, zeros(), zeros(), lengths=lengths)
        backwards = numpy_lstm(turned(x, lengths), w, b, zeros(), zeros(), lengths=lengths)
        for value, first, second in zip(found, forwards, backwards):
            same(value[0], first)
            same(value[1], turned(second, lengths))


def turned(x, lengths):
    result = x.copy()
    for row, length in enumerate([TIME] * BATCH if lengths is None else lengths):
        result[:length, row] = x[:length, row][::-1]
    return result


@needs_keras_2(LAYERS)
def check_lstm_trains():
    x = numbers(TIME, BATCH, INPUT)
    layer = npu_dynamic_rnn.DynamicRNN(HIDDEN, tf.float32)
    loss = tf.reduce_mean(tf.square(layer(tf.constant(x)).y - 0.5))
    step = tf.train.AdamOptimizer(0.05).minimize(loss)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        before = session.run(loss)
        for _ in range(30):
            session.run(step)
        assert session.run(loss) < 0.5 * before


def numpy_gru(x, weights, h, order="zrh", attention=None, lengths=None):
    weight_input, weight_hidden, bias_input, bias_hidden = weights
    outputs = []
    for time, part in enumerate(x):
        given = np.split(part @ weight_input + bias_input, 3, axis=1)
        kept = np.split(h @ weight_hidden + bias_hidden, 3, axis=1)
        z, r = order.index("z"), order.index("r")
        update, reset = sigmoid(given[z] + kept[z]), sigmoid(given[r] + kept[r])
        new = np.tanh(given[2] + reset * kept[2])
        weak = update if attention is None else (1 - attention[time][:, None]) * update
        following = (1 - weak) * new + weak * h
        if lengths is not None:
            following = np.where((time < lengths)[:, None], following, h)
        h = following
        middle = (update,) if attention is None else (update, weak)
        outputs.append((h, h, *middle, reset, new, kept[2]))
    return [np.array(part) for part in zip(*outputs)]


@needs_keras_2(LAYERS)
def check_gru():
    x, h = numbers(TIME, BATCH, INPUT), numbers(BATCH, HIDDEN, seed=6)
    for order in ("zrh", "rzh"):
        layer = npu_dynamic_rnn.DynamicGRUV2(HIDDEN, tf.float32, gate_order=order)
        outputs = layer(tf.constant(x), seq_length=LENGTHS, init_h=tf.constant(h))
        weights, found = layer_values(layer, outputs)
        assert [part.shape for part in weights] == [(2, 15), (5, 15), (15,), (15,)]
        assert max(np.abs(part).max() for part in weights) <= 1 / np.sqrt(HIDDEN)
        for value, expected in zip(found, numpy_gru(x, weights, h, order, lengths=LENGTHS)):
            same(value, expected)
    assert outputs._fields == ("y", "output_h", "update", "reset", "new", "hidden_new")


@needs_keras_2(LAYERS)
def check_gru_is_keras_gru():
    x = numbers(TIME, BATCH, INPUT)
    layer = npu_dynamic_rnn.DynamicGRUV2(HIDDEN, tf.float32)
    outputs = layer(tf.constant(x))
    keras = tf.keras.layers.GRU(
        HIDDEN,
        reset_after=True,
        return_sequences=True,
        time_major=True,
        recurrent_activation="sigmoid",
    )
    theirs = keras(tf.constant(x))
    kernel, recurrent, bias = keras.weights
    given, kept, bias_given, bias_kept = layer.trainable_weights
    copies = [
        tf.assign(kernel, given),
        tf.assign(recurrent, kept),
        tf.assign(bias, tf.stack([bias_given, bias_kept])),
    ]
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        session.run(copies)
        found, expected = session.run([outputs.y, theirs])
    same(found, expected)


@needs_keras_2(LAYERS)
def check_augru():
    x, attention = numbers(TIME, BATCH, INPUT), np.abs(numbers(TIME, BATCH, seed=6)) / 2
    layer = npu_dynamic_rnn.DynamicAUGRU(HIDDEN, tf.float32)
    outputs = layer(tf.constant(x), tf.constant(attention))
    weights, found = layer_values(layer, outputs)
    assert len(found) == 7
    for value, expected in zip(found, numpy_gru(x, weights, zeros(), attention=attention)):
        same(value, expected)
    assert all(part is not None for part in tf.gradients(outputs.y, layer.trainable_weights))


class Cell:
    """A recurrent cell without a layer class, which every release takes."""

    output_size = state_size = HIDDEN

    def __init__(self):
        self.weight = tf.constant(numbers(INPUT + HIDDEN, HIDDEN, seed=7))

    def __call__(self, inputs, state, scope=None):
        state = tf.tanh(tf.matmul(tf.concat([inputs, state], 1), self.weight))
        return state, state

    def zero_state(self, batch_size, dtype):
        return tf.zeros([batch_size, HIDDEN], dtype)

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        return self.zero_state(batch_size, dtype)


def check_npu_dynamic_rnn_is_dynamic_rnn():
    x = tf.constant(numbers(TIME, BATCH, INPUT))
    cells = [Cell(), tf.nn.rnn_cell.GRUCell(HIDDEN)] if KERAS == 2 else [Cell()]
    for cell in cells:
        ours, our_state = npu_rnn.npu_dynamic_rnn(
            cell, x, dtype=tf.float32, sequence_length=LENGTHS, scope="rnn"
        )
        theirs, their_state = tf.nn.dynamic_rnn(
            cell, x, dtype=tf.float32, sequence_length=LENGTHS, time_major=True, scope="rnn"
        )
        found = evaluate(ours, theirs, our_state, their_state)
        assert np.abs(found[0]).max() > 0
        same(found[0], found[1])
        same(found[2], found[3])
