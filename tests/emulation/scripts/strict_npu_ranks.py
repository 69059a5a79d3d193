"""Two ranks train together, in one of several ways."""

import sys

import npu_device as npu
import tensorflow as tf
from npu_device.distribute import hccl

WAY = sys.argv[1]
handle = npu.open().as_default()
tf.random.set_seed(1)
rows = tf.ones([8, 2])
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
optimizer = tf.keras.optimizers.SGD(0.1)
if WAY != "unsent":
    npu.distribute.broadcast(model.trainable_variables)
if WAY in ("wrapped", "twice", "unsent"):
    optimizer = npu.distribute.npu_distributed_keras_optimizer_wrapper(optimizer)
if WAY == "callback":
    hccl.npu_callbacks_append([])


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    if WAY in ("twice", "callback", "differ"):
        gradients = npu.distribute.all_reduce(gradients)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    if WAY == "differ" and handle.worker_id == 0:
        loss = tf.exp(loss)
    return loss


for _ in range(2):
    step(rows)
