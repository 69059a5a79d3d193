"""Random streams: what stands for tf.nn.dropout drops what it would have dropped."""

import random

import numpy as np
from ascendify_runtime.framework import tf
from keras_2 import KERAS
from npu_bridge.estimator import npu_aicore_ops, npu_ops
from ops_harness import numbers, same

X = numbers(20, 30) + 3.0


def masks(build):
    """The outputs and gradients of a small model with two dropouts and a last random tensor."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(11)
        x = tf.constant(X)
        first = build(x * 2.0, 0)
        second = build(first + 1.0, 1)
        last = tf.random_uniform([5])
        gradient = tf.gradients(second, x)[0]
        with tf.Session() as session:
            values = [session.run([first, second, last, gradient]) for _ in range(2)]
        return values, len(graph.get_operations())


def equal(ours, theirs):
    (found, our_size), (expected, their_size) = masks(ours), masks(theirs)
    assert our_size == their_size, (our_size, their_size)
    for mine, wanted in zip(found, expected):
        for value, other in zip(mine, wanted):
            assert (value == other).all()
    assert not (found[0][0] == found[1][0]).all()


def check_number_as_keep_prob():
    equal(
        lambda x, n: npu_ops.dropout(x, 0.7),
        lambda x, n: tf.nn.dropout(x, keep_prob=0.7),
    )


def check_rate_turned_into_keep_prob():
    for rate in (0.1, 0.25, 0.3, 0.5, 0.9):
        equal(
            lambda x, n, rate=rate: npu_ops.dropout(x, 1 - rate),
            lambda x, n, rate=rate: tf.nn.dropout(x, rate=rate),
        )


def check_tensor_as_keep_prob():
    equal(
        lambda x, n: npu_ops.dropout(x, tf.placeholder_with_default(0.6, [])),
        lambda x, n: tf.nn.dropout(x, keep_prob=tf.placeholder_with_default(0.6, [])),
    )


def check_seed_and_noise_shape():
    equal(
        lambda x, n: npu_ops.dropout(x, 0.4, noise_shape=[20, 1], seed=5 + n),
        lambda x, n: tf.nn.dropout(x, keep_prob=0.4, noise_shape=[20, 1], seed=5 + n),
    )


def check_other_versions():
    for version in (npu_aicore_ops.dropout_v3, npu_aicore_ops.dropout_v4):
        equal(
            lambda x, n, version=version: version(x, 0.7),
            lambda x, n: tf.nn.dropout(x, keep_prob=0.7),
        )


def check_what_is_kept_is_scaled():
    x = tf.constant(X)
    dropped = npu_ops.dropout(x, 0.75)
    gradient = tf.gradients(dropped, x)[0]
    with tf.Session() as session:
        value, slope = session.run([dropped, gradient])
    kept = value != 0
    assert 0.6 < kept.mean() < 0.9
    same(value[kept], X[kept] / 0.75)
    same(slope, kept / 0.75)


def check_keep_everything_returns_the_input():
    x = tf.constant(X)
    assert npu_ops.dropout(x, 1.0) is x
    assert npu_ops.dropout(x, 1).dtype == tf.float32


def check_half_precision():
    with tf.Session() as session:
        value = session.run(npu_ops.dropout(tf.constant(X, tf.float16), 0.5))
    assert value.dtype == np.float16


def check_system_operators_leave_the_stream_alone():
    def with_system(x, number):
        npu_ops.initialize_system()
        npu_ops.outfeed_enqueue_op("channel", [x])
        npu_ops.shutdown_system()
        return tf.nn.dropout(x, rate=0.5)

    found, expected = masks(with_system)[0], masks(lambda x, n: tf.nn.dropout(x, rate=0.5))[0]
    for mine, wanted in zip(found, expected):
        for value, other in zip(mine, wanted):
            assert (value == other).all()


def keras_values():
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(7)
        random.seed(7)  # Keras 3 draws the seeds of layers from it
        x = tf.constant(X)
        outputs = [
            tf.keras.layers.Dropout(0.4)(x, training=True),
            tf.keras.layers.Dropout(0.4, seed=3)(x, training=True),
            tf.keras.layers.Dropout(0.4, noise_shape=[20, 1])(x, training=True),
            tf.keras.layers.Dropout(0.4)(x, training=False),
        ]
        if KERAS == 2:  # later, `training` is a Python bool and tf.layers is gone
            training = tf.placeholder_with_default(True, [])
            outputs += [
                tf.keras.layers.Dropout(0.4, seed=3)(x, training=training),
                tf.layers.dropout(x, 0.2, training=training),
            ]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(outputs), len(graph.get_operations())


def check_z_converted_keras_dropout_drops_the_same():
    """Last by name: the import changes Keras for good."""
    expected, size = keras_values()
    from npu_bridge.estimator.npu import npu_convert_dropout

    assert tf.keras.layers.Dropout.call is npu_convert_dropout.dropout_call
    found, our_size = keras_values()
    assert size == our_size, (size, our_size)
    for value, other in zip(found, expected):
        assert (value == other).all()
    assert all((value == 0).any() for value in found[:3])
    try:
        tf.keras.layers.Dropout(0.4, dtype="float64")(tf.constant(X, tf.float64), training=True)
    except TypeError as error:
        assert "float64" in str(error)
    else:
        raise AssertionError("float64 reached the device's dropout")
