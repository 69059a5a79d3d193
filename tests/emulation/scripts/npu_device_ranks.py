"""What one rank of a job computes with npu_device; prints one line of JSON."""

import json
import os

import npu_device as npu
import numpy as np
import tensorflow as tf
from keras_2 import KERAS, needs_keras_2, refused
from npu_device.distribute import hccl, hccl_ops, npu_callbacks

handle = npu.open().as_default()
SIZE, RANK = handle.workers_num, handle.worker_id
SAMPLES, FEATURES, BATCH = 64, 6, 16


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return value if value is None else np.asarray(value).tolist()


def data():
    rng = np.random.RandomState(0)
    x = rng.randn(SAMPLES, FEATURES).astype("float32")
    return x, x.sum(axis=1, keepdims=True)


def model():
    # ranks start from different weights: the broadcast makes them equal
    start = tf.keras.initializers.RandomNormal(seed=5 + RANK)
    made = tf.keras.Sequential(
        [
            tf.keras.layers.Dense(8, "relu", kernel_initializer=start, input_shape=(FEATURES,)),
            tf.keras.layers.Dense(1, kernel_initializer=start),
        ]
    )
    npu.distribute.broadcast(made.trainable_variables, root_rank=0)
    return made


def dataset():
    shared, batch = npu.distribute.shard_and_rebatch_dataset(
        tf.data.Dataset.from_tensor_slices(data()), BATCH
    )
    return shared.batch(batch, drop_remainder=True)


def by_fit():
    made = model()
    made.compile(npu.distribute.npu_distributed_keras_optimizer_wrapper("adam"), "mse")
    made.fit(dataset(), epochs=2, verbose=0)
    return made.get_weights()


def by_function(compiled=True, optimizer=None, scale=None, unscale=None):
    made = model()
    optimizer = optimizer or tf.keras.optimizers.SGD(0.05)

    def step(x, y):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(made(x, training=True) - y))
            target = scale(loss) if scale else loss
        gradients = tape.gradient(target, made.trainable_variables)
        if unscale:
            gradients = unscale(gradients)
        gradients = npu.distribute.all_reduce(gradients)
        optimizer.apply_gradients(zip(gradients, made.trainable_variables))
        return loss

    step = tf.function(step) if compiled else step
    for x, y in dataset():
        step(x, y)
    return made.get_weights()


OVERFLOW_FLAG = "loss scale that follows the overflow flag of a 910A: Keras 3 left it out"


def by_loss_scale_of_keras_3():
    optimizer = npu.train.optimizer.NpuLossScaleOptimizer(
        tf.keras.optimizers.SGD(0.05), initial_scale=256.0, dynamic_growth_steps=2
    )
    weights = by_function(optimizer=optimizer, scale=optimizer.scale_loss)
    return [*weights, np.float32(optimizer.dynamic_scale)]


def by_loss_scale():
    if KERAS == 3:
        return by_loss_scale_of_keras_3()
    npu.set_device_sat_mode(0)
    optimizer = npu.train.optimizer.NpuLossScaleOptimizer(
        tf.keras.optimizers.SGD(0.05), initial_scale=256.0, dynamic_growth_steps=2
    )
    weights = by_function(
        optimizer=optimizer,
        scale=optimizer.get_scaled_loss,
        unscale=optimizer.get_unscaled_gradients,
    )
    scale = float(optimizer.loss_scale)
    npu.set_device_sat_mode(1)
    return [*weights, np.float32(scale)]


def by_groups():
    made = model()
    optimizer = tf.keras.optimizers.SGD(0.05)
    for x, y in dataset():
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(made(x, training=True) - y))
        gradients = npu.distribute.all_reduce(tape.gradient(loss, made.trainable_variables))
        npu.distribute.grouping_gradients_apply(
            optimizer.apply_gradients, zip(gradients, made.trainable_variables)
        )
    npu.distribute.grouping_broadcast(made.trainable_variables)
    return made.get_weights()


def overflow_of_one_rank():
    """Rank 0 has an infinite gradient; every rank must skip the step."""
    npu.set_device_sat_mode(0)
    variable = tf.Variable([1.0])
    optimizer = npu.train.optimizer.NpuLossScaleOptimizer(
        tf.keras.optimizers.SGD(1.0), initial_scale=8.0
    )
    gradient = tf.constant([np.inf if RANK == 0 else 1.0])
    found = None
    with needs_keras_2(OVERFLOW_FLAG):
        optimizer.apply_gradients([(gradient, variable)])
        found = [
            variable.numpy(),
            bool(optimizer.last_step_finite.numpy()),
            float(optimizer.loss_scale),
        ]
    npu.set_device_sat_mode(1)
    return found


def collectives():
    own = tf.constant([1.0, 2.0]) * (RANK + 1)
    sparse = tf.IndexedSlices(tf.constant([[1.0, 1.0]]), tf.constant([RANK]), tf.constant([3, 2]))
    with tf.GradientTape() as tape:
        tape.watch(own)
        total = tf.reduce_sum(hccl_ops.allreduce(own, "sum") * 3.0)
    variable = tf.Variable([float(RANK)] * 2)
    npu.distribute.broadcast(variable, root_rank=SIZE - 1)
    traced = tf.function(lambda value: npu.distribute.all_reduce([value, None], "max"))
    return {
        "mean": npu.distribute.all_reduce(own),
        "list": npu.distribute.all_reduce([own, None, own * 2], "sum"),
        "integers": npu.distribute.all_reduce(tf.constant([1, 2]) * (RANK + 1)),
        "integer type": npu.distribute.all_reduce(tf.constant([1])).dtype.name,
        "sparse": npu.distribute.all_reduce(sparse, "sum") if SIZE > 1 else tf.zeros([3, 2]),
        "traced": traced(own),
        "gradient": tape.gradient(total, own),
        "variable": variable,
        "gathered": hccl_ops.allgather(own, SIZE),
        "scattered": hccl_ops.reduce_scatter(own, "sum", SIZE),
        "sent": hccl_ops.broadcast([own], SIZE - 1),
        "reduced": hccl_ops.reduce(own, "sum", 0),
    }


def scope():
    strategy = npu_callbacks.npu_broadcast_scope_wrapper(tf.distribute.get_strategy())
    with strategy.scope() as yielded:
        first = tf.Variable([float(RANK + 1)])
    with strategy.scope():
        second = tf.Variable([float(RANK + 1)])
    return [yielded, first.numpy(), second.numpy()]


callbacks = hccl.npu_callbacks_append([])
result = {
    "ways": {
        "fit": by_fit(),
        "function": by_function(),
        "eager": by_function(compiled=False),
        "loss scale": by_loss_scale(),
        "groups": by_groups(),
    },
    "collectives": collectives(),
    "overflow": overflow_of_one_rank(),
    "scope": scope(),
    "callbacks": len(callbacks),
}
result = tf.nest.map_structure(plain, result)
result.update(keras=KERAS, refused=refused)
if RANK == SIZE - 1 and os.environ.get("LEAVE_EARLY"):
    raise SystemExit("this rank gives up")
if os.environ.get("LEAVE_EARLY"):
    npu.distribute.all_reduce(tf.constant(1.0))
print("RESULT " + json.dumps(result))
