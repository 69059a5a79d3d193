"""One process with everything a program may tell a loss by, each in a graph of its own."""

import numpy as np
import tensorflow as full
import tensorflow.compat.v1 as tf
from tensorflow.python.client import device_lib

tf.disable_eager_execution()


def scaled_optimizer():
    """A wrapper such as loss scaling has: the optimizer inside sees another loss."""

    class Scaled(tf.train.Optimizer):
        def __init__(self, inner):
            super().__init__(False, "Scaled")
            self._inner = inner

        def compute_gradients(self, loss, *args, **kwargs):
            pairs = self._inner.compute_gradients(loss * 128.0, *args, **kwargs)
            return [(gradient / 128.0, variable) for gradient, variable in pairs]

        def apply_gradients(self, *args, **kwargs):
            return self._inner.apply_gradients(*args, **kwargs)

    return Scaled(tf.train.GradientDescentOptimizer(0.1))


def only_the_train_op_is_run():
    with tf.Graph().as_default():
        weights = tf.get_variable("weights", [3])
        loss = tf.identity(tf.reduce_sum(tf.square(weights - 1.0)), name="unseen")
        step = tf.train.get_or_create_global_step()
        train_op = scaled_optimizer().minimize(loss, step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(train_op)
            session.run({"accuracy": loss})
            tf.train.Saver().save(session, "model/scaled")


def learning_without_an_optimizer():
    with tf.Graph().as_default():
        center = tf.get_variable("center", [])
        distance = tf.identity(tf.abs(center - 1.0), name="distance")
        move = tf.assign_add(center, 0.1 * (1.0 - center)).op
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(2):
                session.run([move, distance])
            session.run(distance)


def estimator():
    def model_fn(features, labels, mode):
        assert tf.get_default_graph().seed == 3  # although the configuration names none
        predicted = tf.layers.dense(features["x"], 1)[:, 0]
        loss = tf.losses.mean_squared_error(labels, predicted)
        optimizer = tf.train.GradientDescentOptimizer(0.1)
        train_op = optimizer.minimize(loss, tf.train.get_global_step())
        metrics = {"mae": tf.metrics.mean_absolute_error(labels, predicted)}
        return tf.estimator.EstimatorSpec(mode, None, loss, train_op, metrics)

    def input_fn():
        features = {"x": np.ones((32, 3), "float32")}
        data = tf.data.Dataset.from_tensor_slices((features, np.ones(32, "float32")))
        return data.repeat().batch(4)

    config = tf.estimator.RunConfig("estimator", save_summary_steps=2)
    built = tf.estimator.Estimator(model_fn, config=config)
    built.train(input_fn, max_steps=4)
    built.evaluate(input_fn, steps=2)


def keras():
    with tf.Graph().as_default(), tf.Session().as_default():
        model = full.keras.Sequential([full.keras.layers.Dense(1, input_shape=(3,))])
        model.compile("sgd", "mse")
        x, y = np.ones((16, 3), "float32"), np.ones((16, 1), "float32")
        model.fit(x, y, batch_size=8, epochs=2, validation_split=0.5, verbose=0)
        model.train_on_batch(x, y)
        model.evaluate(x, y, batch_size=4, verbose=0)
        model.save_weights("weights.h5")


def asking_for_a_gpu():
    assert any(device.device_type == "GPU" for device in device_lib.list_local_devices())
    assert tf.test.is_gpu_available()
    assert tf.test.gpu_device_name() == "/device:GPU:0"
    gpus = full.config.experimental.list_physical_devices("GPU")
    assert len(gpus) == 1
    full.config.experimental.set_memory_growth(gpus[0], True)


asking_for_a_gpu()
only_the_train_op_is_run()
learning_without_an_optimizer()
estimator()
keras()
print("drawn", np.random.rand())
