"""The stand-in for Horovod in TensorFlow 2, eagerly and in functions; two ranks."""

import horovod.tensorflow as hvd
import horovod.tensorflow.keras as khvd
import numpy as np
import tensorflow as tf

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
if hasattr(tf.keras.optimizers, "legacy"):
    kinds.append(tf.keras.optimizers.legacy.SGD)
for make in kinds:
    model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, use_bias=False)])
    model.layers[0].kernel.assign([[rank + 1.0], [rank + 1.0]])
    model.compile(khvd.DistributedOptimizer(make(0.1)), "mse")
    x, y = np.full((4, 2), rank + 1.0, "float32"), np.zeros((4, 1), "float32")
    broadcast = khvd.callbacks.BroadcastGlobalVariablesCallback(0)
    model.fit(x, y, batch_size=2, verbose=0, callbacks=[broadcast])
    kernel = model.layers[0].kernel
    both = hvd.allgather(tf.reshape(kernel, [1, -1])).numpy()
    assert np.array_equal(both[0], both[1]), both
print("as it should be")
