"""What the device would refuse of a program for TensorFlow 2; codes stand behind their lines."""

import tempfile

import npu_device as npu
import numpy as np
import tensorflow as tf
from tensorflow.python.eager import context

npu.global_options().modify_mixlist = "ops_info.json"  # EMU-OPT-3
npu.global_options().dump_config.dump_step = "5-1"  # EMU-OPT-2
npu.global_options().precision_mode = "must_keep_origin_dtype"
npu.open().as_default()
npu.global_options().deterministic = 1  # EMU-OPEN-2
tf.random.set_seed(1)

rows = np.random.RandomState(0).rand(40, 4).astype("float32")
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
optimizer = tf.keras.optimizers.SGD(0.1)
counter = tf.Variable(0)


@tf.function
def helper(x):
    return tf.reduce_mean(tf.square(x))


@tf.function
def good_step(x):
    with tf.GradientTape() as tape:
        loss = helper(model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss


@tf.function
def wide(x):
    return tf.reduce_sum(tf.cast(x, tf.float64))  # EMU-TYPE-1


@tf.function
def mapped(x):
    return tf.reduce_sum(tf.map_fn(lambda row: tf.reduce_max(row) * 2, x))


@tf.function
def masked(x):
    kept = tf.boolean_mask(x, x > 0.5)  # EMU-SHAPE-1
    return tf.reduce_sum(kept)


@tf.function
def tested(x):
    return tf.reduce_any(tf.math.is_nan(x))


@tf.function
def refused(x):
    part = {"begin": [0, 0], "end": [1, 1], "strides": [1, 1], "value": [[1.0]]}
    return tf.raw_ops.TensorStridedSliceUpdate(input=x, **part)  # EMU-OP-1


@tf.function
def doubtful(x):
    return tf.math.zeta(x + 2.0, x + 1.0)  # EMU-OP-1


@tf.function
def from_text(x, text):
    return model(x) + tf.strings.to_number(text)  # EMU-OP-2


@tf.function
def only_text(text):
    return tf.strings.length(text)


class Saved(tf.Module):
    def __init__(self):
        self.scale = tf.Variable(2.0)

    @tf.function
    def compares_text(self, x, phase):
        return tf.where(phase == "train", x, x * self.scale)  # EMU-TYPE-2


@tf.function
def compares_text(x, phase):
    return model(x) if phase == "train" else x[:, :1]  # EMU-TYPE-2


@tf.function
def numbered_step(x, number):
    with tf.GradientTape() as tape:
        loss = helper(model(x, training=True)) * number
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


@tf.function
def chosen(x, training):
    if training:
        x = tf.tanh(x) * 2
    return x


@tf.function
def step_with_condition(x, training):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(chosen(model(x, training=True), training))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


@tf.function
def in_python(x):
    y = tf.numpy_function(np.abs, [x], tf.float32)  # EMU-OP-2
    y.set_shape(x.shape)
    return y * 2


@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
def open_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


@tf.function
def partial_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x, training=True))
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))


@tf.function
def loop(iterator, steps):
    for _ in tf.range(steps):  # EMU-LOOP-1
        good_step(next(iterator))


@tf.function
def counted_loop(iterator, steps):
    for _ in tf.range(steps):
        good_step(next(iterator))


@tf.function  # EMU-FUNC-1
def counts(x):
    counter.assign_add(1)
    if tf.reduce_sum(x) > 0:
        return x
    return -x


@tf.function
def outer(x):
    return counts(x) + 1


batch = tf.constant(rows[:16])
good_step(batch)
good_step(batch)
wide(batch)
masked(batch)
tested(batch)
refused(batch)
doubtful(batch)
from_text(batch, tf.constant("1"))
only_text(tf.constant("1"))
compares_text(batch, tf.constant("train"))
with tempfile.TemporaryDirectory() as folder:
    saved = Saved()
    saved.compares_text(batch, tf.constant("train"))
    tf.saved_model.save(saved, folder)
    loaded = tf.saved_model.load(folder)
    loaded.compares_text(batch, tf.constant("train"))  # EMU-TYPE-2
for number in range(1, 7):
    numbered_step(batch, number)  # EMU-FUNC-2
in_python(batch)
step_with_condition(batch, tf.constant(True))
open_step(batch)  # EMU-BATCH-1
for part in tf.data.Dataset.from_tensor_slices(rows).batch(16):
    partial_step(part)  # EMU-BATCH-1
data = tf.data.Dataset.from_tensor_slices(rows).repeat().batch(16, drop_remainder=True)
loop(iter(data), tf.constant(3))
npu.set_npu_loop_size(2)
counted_loop(iter(data), tf.constant(2))
outer(batch)
mapped(batch)
model.compile("sgd", "mse")
model.fit(rows, rows[:, :1], batch_size=16, verbose=0)  # EMU-BATCH-1
model.fit(rows[:32], rows[:32, :1], batch_size=16, verbose=0)
model.evaluate(data.take(1).map(lambda x: (x, x[:, :1])), verbose=0)
model.compile("sgd", "mse", steps_per_execution=2)
model.fit(rows[:32], rows[:32, :1], batch_size=16, verbose=0)
tf.data.Dataset.range(3).map(lambda x: tf.cast(x, tf.float64))

# eager operators run on the device one by one; the host's are not checked
doubles = rows.astype("float64")
tf.cast(doubles, tf.float32)
tf.reduce_sum(doubles)  # EMU-TYPE-1
wide_variable = tf.Variable(doubles)  # EMU-TYPE-1
tf.signal.fft(tf.complex(rows, rows))  # EMU-TYPE-1
tf.random.stateless_uniform([2], seed=[1, 2])  # EMU-OP-1
tf.math.is_nan(batch)
tf.einsum("ij,kj->ik", batch, batch)
tf.strings.to_number(tf.strings.join(["1", "2"]))
with context.device("CPU:0"):
    tf.reduce_sum(doubles)
    wide(tf.ones([2, 2]))
tf.py_function(lambda value: value * 2, [doubles], tf.float64)
for part in tf.data.Dataset.from_tensor_slices(doubles).map(lambda x: x * 2).batch(8):
    tf.cast(part, tf.float32)
