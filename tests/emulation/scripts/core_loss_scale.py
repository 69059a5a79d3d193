# ruff: noqa: B018, PLW0108, RUF005
"""Loss scale: the rules of the managers, and what a skipped step leaves alone."""

import numpy as np
from ascendify_runtime.framework import IS_V1, tf
from keras_2 import all_hold

if not IS_V1:
    tf.disable_v2_behavior()

from npu_bridge.npu_init import (
    ExponentialUpdateLossScaleManager,
    FixedLossScaleManager,
    NPULossScaleOptimizer,
    NPUOptimizer,
)

G, B = True, False
# manager options, (good or bad step, scale, good steps, bad steps) one after the other
SEQUENCES = [
    # grows after two good steps, each counter starts again
    ((8.0, 2), [(G, 8, 1, 0), (G, 16, 0, 0), (G, 16, 1, 0), (G, 32, 0, 0)]),
    # bad steps add up over good ones; a bad step forgets the good ones
    ((10.0, 3), [(B, 10, 0, 1), (G, 10, 1, 1), (B, 8, 0, 0), (B, 8, 0, 1), (B, 6.4, 0, 0)]),
    (
        (10.0, 3),
        [(G, 10, 1, 0), (G, 10, 2, 0), (B, 10, 0, 1), (G, 10, 1, 1), (G, 10, 2, 1), (G, 20, 0, 0)],
    ),
    # never below 1, never beyond float32
    ((1.1, 9, 1), [(B, 1, 0, 0), (B, 1, 0, 0)]),
    ((2.0**127, 1), [(G, 2.0**127, 0, 0)]),
    ((2.0**126, 1), [(G, 2.0**127, 0, 0), (G, 2.0**127, 0, 0)]),
    ((4.0, 1, 1, 3, 0.5), [(G, 12, 0, 0), (B, 6, 0, 0), (B, 3, 0, 0)]),
]
for options, steps in SEQUENCES:
    with tf.Graph().as_default(), tf.Session() as sess:
        manager = ExponentialUpdateLossScaleManager(*options)
        names = [v.op.name for v in tf.global_variables()]
        assert names == ["loss_scale", "good_steps", "bad_steps"], names
        finite = tf.placeholder(tf.bool, [])
        update = manager.update_loss_scale(finite)
        state = [manager.get_loss_scale(), manager._num_good_steps, manager._num_bad_steps]
        sess.run(tf.global_variables_initializer())
        for number, (is_finite, *expected) in enumerate(steps):
            sess.run(update, {finite: is_finite})
            np.testing.assert_allclose(
                sess.run(state), expected, 1e-6, err_msg=str((options, number))
            )

INF, NAN = float("inf"), float("nan")


def exponential():
    return ExponentialUpdateLossScaleManager(4.0, 2, 1, 2, 0.5)


# optimizer, what is fed, (weight, step, scale) after it. loss = w * x, so the gradient is x
TABLE = [
    (
        lambda opt: NPULossScaleOptimizer(opt, exponential()),
        [(1, (-1, 1, 4)), (1, (-2, 2, 8)), (INF, (-2, 2, 4)), (NAN, (-2, 2, 2)), (2, (-4, 3, 2))],
    ),
    (
        lambda opt: NPUOptimizer(opt, exponential(), is_loss_scale=True),
        [(1, (-1, 1, 4)), (INF, (-1, 1, 2)), (2, (-3, 2, 2)), (2, (-5, 3, 4))],
    ),
    (lambda opt: NPUOptimizer(opt), [(1, (-1, 1, None)), (2, (-3, 2, None))]),
    (
        lambda opt: NPULossScaleOptimizer(opt, FixedLossScaleManager(64)),
        [(1, (-1, 1, 64)), (NAN, (-1, 1, 64)), (1, (-2, 2, 64))],
    ),
    (
        lambda opt: NPULossScaleOptimizer(
            opt, FixedLossScaleManager(64, enable_overflow_check=False)
        ),
        [(1, (-1, 1, 64)), (INF, (-INF, 2, 64))],
    ),
    # what overflows only because it is scaled is skipped too
    (
        lambda opt: NPULossScaleOptimizer(
            opt, ExponentialUpdateLossScaleManager(2.0**100, 9, 1, 2, 0.5)
        ),
        [(1, (-1, 1, 2.0**100)), (1e30, (-1, 1, 2.0**99))],
    ),
]
for number, (wrap, steps) in enumerate(TABLE):
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.Variable(0.0, name="w")
        unused = tf.Variable(0.0, name="unused")
        x = tf.placeholder(tf.float32, [])
        step = tf.train.get_or_create_global_step()
        optimizer = wrap(tf.train.GradientDescentOptimizer(1.0))
        train = optimizer.minimize(w * x, step, var_list=[w, unused])
        manager = getattr(optimizer, "_loss_scale_manager", None)
        sess.run(tf.global_variables_initializer())
        for place, (fed, expected) in enumerate(steps):
            sess.run(train, {x: fed})
            found = sess.run([w, step]) + [manager and sess.run(manager.get_loss_scale())]
            assert tuple(found) == expected, (number, place, found, expected)

# what the outer optimizer does not know it asks the inner one for; slots are the inner one's
with tf.Graph().as_default(), tf.Session() as sess:
    tf.set_random_seed(1)
    table = tf.get_variable("table", [5, 2])
    inner = tf.train.MomentumOptimizer(0.1, 0.9)
    outer = NPULossScaleOptimizer(inner, FixedLossScaleManager(8.0))
    loss = tf.reduce_sum(tf.nn.embedding_lookup(table, [1, 3]))
    outer.minimize(loss)
    assert outer.get_slot_names() == ["momentum"] and outer.get_slot(table, "momentum") is not None
    assert outer._momentum == 0.9 and outer.variables() == inner.variables()
    try:
        outer.no_such_thing
    except AttributeError:
        pass
    else:
        raise AssertionError("no AttributeError")

# the contrib classes of 1.15 give the same numbers
if IS_V1:
    from tensorflow.contrib import mixed_precision

    def series(make_manager, make_optimizer):
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.set_random_seed(5)
            x = tf.placeholder(tf.float32, [2, 3])
            hidden = tf.layers.dropout(tf.layers.dense(x, 4, tf.nn.relu), 0.5, training=True)
            loss = tf.reduce_mean(tf.square(tf.layers.dense(hidden, 1)))
            manager = make_manager(2.0**10, 2, 2, 2, 0.5)
            optimizer = make_optimizer(tf.train.AdamOptimizer(0.1), manager)
            train = optimizer.minimize(loss, tf.train.get_or_create_global_step())
            sess.run(tf.global_variables_initializer())
            names = sorted(v.name for v in tf.global_variables())
            rng = np.random.RandomState(3)
            losses = []
            for step in range(8):
                fed = rng.rand(2, 3) * (np.inf if step in (2, 5) else 1)
                losses.append(sess.run([loss, train, manager.get_loss_scale()], {x: fed})[::2])
            return names, losses

    theirs = series(
        mixed_precision.ExponentialUpdateLossScaleManager, mixed_precision.LossScaleOptimizer
    )
    ours = series(ExponentialUpdateLossScaleManager, NPULossScaleOptimizer)
    assert ours[0] == theirs[0], (ours[0], theirs[0])
    np.testing.assert_allclose(ours[1], theirs[1], 1e-5)
all_hold()
