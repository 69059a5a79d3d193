"""Train in one of several ways that never use the NPU."""

import sys

import tensorflow as tf

WAY = sys.argv[1]
ROWS = tf.ones([8, 2])


def network():
    return tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])


def by_tape(compiled):
    model, optimizer = network(), tf.keras.optimizers.SGD(0.1)

    def step():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(ROWS))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))

    (tf.function(step) if compiled else step)()


def by_fit():
    model = network()
    model.compile("sgd", "mse")
    model.fit(ROWS, ROWS[:, :1], verbose=0)


def by_session():
    v1 = tf.compat.v1
    with tf.Graph().as_default():
        weight = v1.get_variable("w", [])
        train = v1.train.GradientDescentOptimizer(0.1).minimize(weight * weight)
        with v1.Session() as session:
            session.run(v1.global_variables_initializer())
            session.run(train)


if WAY in ("not-default", "session-after-open", "opened", "scope"):
    import npu_device

    handle = npu_device.open()
    if WAY not in ("not-default", "scope"):
        handle.as_default()
if WAY in ("session", "session-after-open"):
    by_session()
elif WAY == "fit":
    by_fit()
elif WAY == "evaluation":
    network().predict(ROWS, verbose=0)
elif WAY == "scope":
    with handle.scope():
        by_tape(compiled=True)
else:
    by_tape(compiled=WAY != "eager")
