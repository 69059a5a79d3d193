"""The stand-in for Horovod in TensorFlow 2, eagerly and in functions; two ranks."""

import importlib
import itertools
import pathlib
import tempfile

import horovod.tensorflow as hvd
import horovod.tensorflow.keras as khvd
import numpy as np
import tensorflow as tf
from keras_2 import KERAS, needs_keras_2

hvd.init()
rank, size = hvd.rank(), hvd.size()
assert size == 2

# collectives of eager tensors
assert hvd.allreduce(tf.constant(rank + 1.0)).numpy() == 1.5
assert hvd.allreduce(tf.constant([rank, 1]), op=hvd.Sum).numpy().tolist() == [1, 2]
assert hvd.allgather(tf.fill([rank + 1], rank)).numpy().tolist() == [0, 1, 1]
assert hvd.broadcast(tf.constant(rank + 5), 1).numpy() == 6
assert khvd.allreduce(rank + 1.0) == 1.5

# a tape, around a block and behind it
weight = tf.Variable([1.0, 2.0])
with hvd.DistributedGradientTape(tf.GradientTape()) as tape:
    loss = tf.reduce_sum(weight * (rank + 1.0))
assert tape.gradient(loss, weight).numpy().tolist() == [1.5, 1.5]


@tf.function
def step(factor, first):
    with tf.GradientTape() as inner:
        value = tf.reduce_sum(weight * factor)
    outer = hvd.DistributedGradientTape(inner, op=hvd.Sum)
    gradients = outer.gradient(value, [weight])
    weight.assign_sub(gradients[0])
    if first:
        hvd.broadcast_variables([weight], root_rank=1)
    return gradients


weight.assign([float(rank), 0.0])
assert step(tf.constant(rank + 1.0), True)[0].numpy().tolist() == [3.0, 3.0]
assert weight.numpy().tolist() == [-2.0, -3.0]
assert step(tf.constant(2.0), False)[0].numpy().tolist() == [4.0, 4.0]

# Keras: each rank has other weights and other samples
kinds = [tf.keras.optimizers.SGD]
if KERAS == 2 and hasattr(tf.keras.optimizers, "legacy"):
    kinds.append(tf.keras.optimizers.legacy.SGD)


def is_equal_everywhere(variable):
    both = hvd.allgather(tf.reshape(variable, [1, -1])).numpy()
    return np.array_equal(both[0], both[1])


def callbacks(module, **options):
    scheduled = {"initial_lr": 0.1 * size, **options}
    return [
        module.callbacks.BroadcastGlobalVariablesCallback(0),
        module.callbacks.MetricAverageCallback(),
        module.callbacks.LearningRateWarmupCallback(
            warmup_epochs=2, steps_per_epoch=2, **scheduled
        ),
        module.callbacks.LearningRateScheduleCallback(multiplier=0.5, start_epoch=2, **scheduled),
    ]


modules = [khvd]
if KERAS == 3:  # stand-alone Keras is the same one there
    modules.append(importlib.import_module("horovod.keras"))
for make, module in itertools.product(kinds, modules):
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, use_bias=False)])
    model.layers[0].kernel.assign([[rank + 1.0], [rank + 1.0]])
    model.compile(module.DistributedOptimizer(make(0.1)), "mse")
    x, y = np.full((4, 2), rank + 1.0, "float32"), np.zeros((4, 1), "float32")
    history = model.fit(
        x, y, batch_size=2, epochs=4, verbose=0, callbacks=callbacks(module)
    ).history
    assert is_equal_everywhere(model.layers[0].kernel)
    assert all(is_equal_everywhere(tf.constant(values)) for values in history.values()), history
    np.testing.assert_allclose(history["lr"], [0.15, 0.2, 0.2, 0.1], 1e-6)

    # a step of the user's own, with optimizers that compute no gradients
    optimizer = module.DistributedOptimizer(make(0.5, momentum=0.5))
    own = tf.Variable([1.0, 1.0])
    if not hasattr(optimizer, "get_gradients"):
        optimizer.apply_gradients([(tf.constant([1.0, 2.0]) * (rank + 1), own)])
        np.testing.assert_allclose(own, [0.25, -0.5])
    if hasattr(optimizer, "apply"):
        optimizer.apply([tf.constant([-1.0, 0.0]) * (rank + 1)], [own])
        np.testing.assert_allclose(own, [0.625, -1.25])

    # the momentum is scaled where it is a variable; the message says what to do where it is none
    model.compile(module.DistributedOptimizer(make(0.1, momentum=0.9)), "mse")
    options = {"batch_size": 2, "epochs": 2, "verbose": 0}
    if isinstance(model.optimizer.momentum, float):
        try:
            model.fit(x, y, callbacks=callbacks(module), **options)
        except NotImplementedError as error:
            assert "Pass momentum_correction=False." in str(error)
        else:
            raise AssertionError("the momentum cannot be corrected")
    model.fit(x, y, callbacks=callbacks(module, momentum_correction=False), **options)
    assert is_equal_everywhere(model.layers[0].kernel)

if KERAS == 3:  # it saves and loads optimizers in another way; the other one is in the table
    path = pathlib.Path(tempfile.mkdtemp()) / "model.keras"
    model.save(path)
    loaded = khvd.load_model(path)
    assert int(loaded.optimizer.iterations) == int(model.optimizer.iterations) > 0
    loaded.layers[0].kernel.assign(model.layers[0].kernel)
    loaded.fit(x, y, **options)
    assert is_equal_everywhere(loaded.layers[0].kernel)
    with needs_keras_2("tf.keras.optimizers.legacy: Keras 3 left it out"):
        khvd.load_model(path, legacy_opts=True)
print("as it should be")
