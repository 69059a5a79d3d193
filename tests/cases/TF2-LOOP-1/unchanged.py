#### nobody calls it
import tensorflow as tf


@tf.function
def train(iterator, steps):
    for _ in tf.range(steps):
        train_step(next(iterator))
#### findings
6 blocker
#### called from another traced function
import tensorflow as tf


@tf.function
def inner(iterator, steps):
    for _ in tf.range(steps):
        train_step(next(iterator))


@tf.function
def outer(iterator, steps):
    inner(iterator, steps)
#### findings
12 blocker
#### a range that does not start with 0
import tensorflow as tf


@tf.function
def train(iterator, first, last):
    for _ in tf.range(first, last):
        train_step(next(iterator))


train(iter(ds), 5, 10)
#### findings
10 blocker
#### set already
import npu_device
import tensorflow as tf


@tf.function
def train(iterator, steps):
    for _ in tf.range(steps):
        train_step(next(iterator))


npu_device.set_npu_loop_size(100)
train(iter(ds), tf.constant(100))
#### the variable is set
import os
import tensorflow as tf

os.environ["NPU_LOOP_SIZE"] = "100"


@tf.function
def train(iterator, steps):
    for _ in tf.range(steps):
        train_step(next(iterator))


train(iter(ds), tf.constant(100))
#### a loop without an iterator
import tensorflow as tf


@tf.function
def total(n):
    x = 0.0
    for i in tf.range(n):
        x += tf.sqrt(float(i))
    return x


total(10)
#### a loop in Python, unrolled
import tensorflow as tf


@tf.function
def train(iterator):
    for _ in range(10):
        train_step(next(iterator))


train(iter(ds))
#### no tf.function around
import tensorflow as tf


def train(iterator, steps):
    for _ in tf.range(steps):
        train_step(next(iterator))


train(iter(ds), 10)
#### a dataset inside a function
import tensorflow as tf

ds = tf.data.Dataset.range(10).batch(2, drop_remainder=True)


@tf.function
def epoch():
    for x in ds:
        train_step(x)


epoch()
#### findings
8 manual
#### a dataset outside a function
import tensorflow as tf

ds = tf.data.Dataset.range(10).batch(2, drop_remainder=True)
for x in ds:
    train_step(x)
#### one step an execution
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse", steps_per_execution=1)
model.compile("sgd", "mse")
#### two loops of different length in one function
import tensorflow as tf


@tf.function
def train(iterator, steps, accumulate):
    if accumulate != 1:
        for _ in tf.range(steps * accumulate):
            forward(next(iterator))
    else:
        for _ in tf.range(steps):
            step(next(iterator))


train(iter(ds), tf.constant(10), 4)
#### findings
14 blocker
#### one more batch behind the loop
import tensorflow as tf


@tf.function
def train(iterator, steps):
    for _ in tf.range(steps - 1):
        step(next(iterator))
    return step(next(iterator))


train(iter(ds), tf.constant(10))
#### findings
11 blocker
#### a function that is handed on, and may be traced elsewhere
import tensorflow as tf


def create_loop_fn(step_fn):
    def loop_fn(iterator, num_steps):
        for _ in tf.range(num_steps):
            step_fn(next(iterator))

    return loop_fn
#### findings
6 possible
