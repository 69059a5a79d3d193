#### the number of steps as an argument
import tensorflow as tf


@tf.function
def train(iterator, steps):
    for _ in tf.range(steps):
        train_step(next(iterator))


train(iter(ds), tf.constant(100))
#### after
import tensorflow as tf
import npu_device


@tf.function
def train(iterator, steps):
    for _ in tf.range(steps):
        train_step(next(iterator))


npu_device.set_npu_loop_size(100)
train(iter(ds), tf.constant(100))
#### findings
10 auto
#### a variable, and a remainder of another size
import tensorflow as tf


@tf.function
def train_loop(iterator, num_steps):
    for _ in tf.range(num_steps):
        strategy.run(step_fn, args=(next(iterator),))


def main(steps_per_loop, total):
    it = iter(ds)
    for _ in range(total // steps_per_loop):
        train_loop(it, tf.convert_to_tensor(steps_per_loop, dtype=tf.int32))
    if total % steps_per_loop:
        loss = train_loop(it, num_steps=total % steps_per_loop)
#### after
import tensorflow as tf
import npu_device


@tf.function
def train_loop(iterator, num_steps):
    for _ in tf.range(num_steps):
        strategy.run(step_fn, args=(next(iterator),))


def main(steps_per_loop, total):
    it = iter(ds)
    for _ in range(total // steps_per_loop):
        npu_device.set_npu_loop_size(int(steps_per_loop))
        train_loop(it, tf.convert_to_tensor(steps_per_loop, dtype=tf.int32))
    if total % steps_per_loop:
        npu_device.set_npu_loop_size(int(total % steps_per_loop))
        loss = train_loop(it, num_steps=total % steps_per_loop)
#### findings
13 auto
15 auto
#### a constant of the module
import tensorflow as tf

STEPS = 20


@tf.function(experimental_relax_shapes=True)
def run(iterator):
    for _ in tf.range(STEPS):
        step(next(iterator))


run(iter(ds))
#### after
import tensorflow as tf
import npu_device

STEPS = 20


@tf.function(experimental_relax_shapes=True)
def run(iterator):
    for _ in tf.range(STEPS):
        step(next(iterator))


npu_device.set_npu_loop_size(STEPS)
run(iter(ds))
#### wrapped by hand
import tensorflow as tf


def loop(it, n):
    for _ in tf.range(n):
        step(it.get_next())


fast = tf.function(loop)
fast(iter(ds), 5)
#### after
import tensorflow as tf
import npu_device


def loop(it, n):
    for _ in tf.range(n):
        step(it.get_next())


fast = tf.function(loop)
npu_device.set_npu_loop_size(5)
fast(iter(ds), 5)
#### a number that the object keeps
import tensorflow as tf


class Trainer:
    @tf.function
    def _loop(self, iterator):
        for _ in tf.range(self.steps):
            self.step(next(iterator))

    def train(self):
        self._loop(self.iterator)
#### after
import tensorflow as tf
import npu_device


class Trainer:
    @tf.function
    def _loop(self, iterator):
        for _ in tf.range(self.steps):
            self.step(next(iterator))

    def train(self):
        npu_device.set_npu_loop_size(int(self.steps))
        self._loop(self.iterator)
#### the function of another file
import tensorflow as tf
from loops import train_loop

train_loop(iter(ds), 50)
#### file loops.py
import tensorflow as tf


@tf.function
def train_loop(iterator, steps):
    for _ in tf.range(steps):
        step(next(iterator))
#### after
import tensorflow as tf
import npu_device
from loops import train_loop

npu_device.set_npu_loop_size(50)
train_loop(iter(ds), 50)
#### Keras runs several steps at once
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile("sgd", "mse", steps_per_execution=10)
model.fit(ds)
#### after
import tensorflow as tf
import npu_device

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
npu_device.set_npu_loop_size(10)
model.compile("sgd", "mse", steps_per_execution=10)
model.fit(ds)
#### findings
4 auto-check
#### steps that a setting gives
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
model.compile(optimizer="sgd", steps_per_execution=args.steps)
#### after
import tensorflow as tf
import npu_device

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
npu_device.set_npu_loop_size(int(args.steps))
model.compile(optimizer="sgd", steps_per_execution=args.steps)
#### a product of two arguments, and a batch on the other way
import tensorflow as tf


@tf.function
def train(iterator, steps, accumulate):
    if accumulate > 1:
        for _ in tf.range(steps * accumulate):
            step(next(iterator))
    else:
        step(next(iterator))


train(iter(ds), tf.constant(n), 4)
#### after
import tensorflow as tf
import npu_device


@tf.function
def train(iterator, steps, accumulate):
    if accumulate > 1:
        for _ in tf.range(steps * accumulate):
            step(next(iterator))
    else:
        step(next(iterator))


npu_device.set_npu_loop_size(int(n) * 4)
train(iter(ds), tf.constant(n), 4)
#### two loops of the same length, of which one runs
import tensorflow as tf


@tf.function
def train(iterator, steps):
    if memory:
        for _ in tf.range(steps):
            step(next(iterator), memory)
    else:
        for _ in tf.range(steps):
            step(next(iterator))


train(iter(ds), 10)
#### after
import tensorflow as tf
import npu_device


@tf.function
def train(iterator, steps):
    if memory:
        for _ in tf.range(steps):
            step(next(iterator), memory)
    else:
        for _ in tf.range(steps):
            step(next(iterator))


npu_device.set_npu_loop_size(10)
train(iter(ds), 10)
