#### a step outside of tf.function
import tensorflow as tf

model = tf.keras.applications.ResNet50()
optimizer = tf.keras.optimizers.SGD(0.1)


def train_step(images, labels):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(images, training=True) - labels)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


for step in range(4):
    train_step(tf.ones([2, 224, 224, 3]), tf.ones([2, 1000]))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.applications.ResNet50()
optimizer = tf.keras.optimizers.SGD(0.1)


def train_step(images, labels):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(images, training=True) - labels)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


for step in range(4):
    train_step(tf.ones([2, 224, 224, 3]), tf.ones([2, 1000]))
#### findings
3 TF2-INIT-1 auto
8 TF2-FUNC-4 manual
#### a step with side effects in Python stays as it is
import tensorflow as tf

model = tf.keras.applications.ResNet50()
optimizer = tf.keras.optimizers.SGD(0.1)


def train_step(images, labels):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(images, training=True) - labels)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    print('loss', loss.numpy())


for step in range(4):
    train_step(tf.ones([2, 224, 224, 3]), tf.ones([2, 1000]))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.applications.ResNet50()
optimizer = tf.keras.optimizers.SGD(0.1)


def train_step(images, labels):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(images, training=True) - labels)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    print('loss', loss.numpy())


for step in range(4):
    train_step(tf.ones([2, 224, 224, 3]), tf.ones([2, 1000]))
#### findings
3 TF2-INIT-1 auto
8 TF2-FUNC-4 manual
#### XLA by jit_compile
import tensorflow as tf


@tf.function(jit_compile=True)
def step(x):
    return x * 2
#### with select=TF2-XLA
#### after
import tensorflow as tf


@tf.function
def step(x):
    return x * 2
#### findings
4 TF2-XLA-1 auto
#### XLA by its older name
import tensorflow as tf


@tf.function(experimental_compile=True)
def step(x):
    return x * 2
#### with select=TF2-XLA
#### after
import tensorflow as tf


@tf.function
def step(x):
    return x * 2
#### findings
4 TF2-XLA-1 auto
#### functions that run eagerly
import tensorflow as tf

tf.config.run_functions_eagerly(True)
#### findings
3 TF2-FUNC-1 manual
#### a Keras model that runs eagerly
import tensorflow as tf

model = tf.keras.applications.ResNet50()
model.compile('sgd', 'mse', run_eagerly=True)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.applications.ResNet50()
model.compile('sgd', 'mse', run_eagerly=True)
#### findings
3 TF2-INIT-1 auto
4 TF2-FUNC-1 manual
#### XLA for all graphs
import tensorflow as tf

tf.config.optimizer.set_jit(True)
#### after
import tensorflow as tf

#### findings
3 TF2-XLA-1 auto
#### an input_signature with an open dimension
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
def step(x):
    return x * 2
#### with select=TF2-FUNC
#### findings
4 TF2-FUNC-3 info
#### a signature by position, which the NPU's tf.function does not take
import tensorflow as tf


def double(x):
    return x * 2


step = tf.function(double, [tf.TensorSpec([8, 4], tf.float32)])
#### with select=TF2-FUNC
#### after
import tensorflow as tf


def double(x):
    return x * 2


step = tf.function(double, input_signature=[tf.TensorSpec([8, 4], tf.float32)])
#### findings
8 TF2-FUNC-2 auto
#### a loop over an iterator: its length is set before the call
import tensorflow as tf

total = tf.Variable(0.0)


@tf.function
def loop(iterator, steps):
    for _ in tf.range(steps):
        total.assign_add(next(iterator))


iterator = iter(tf.data.Dataset.range(100).repeat())
loop(iterator, tf.constant(20))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

total = tf.Variable(0.0)


@tf.function
def loop(iterator, steps):
    for _ in tf.range(steps):
        total.assign_add(next(iterator))


iterator = iter(tf.data.Dataset.range(100).repeat())
npu_device.set_npu_loop_size(20)
loop(iterator, tf.constant(20))
#### findings
3 TF2-INIT-1 auto
13 TF2-LOOP-1 auto
#### a remainder sets it again
import tensorflow as tf

total = tf.Variable(0.0)


@tf.function
def loop(iterator, steps):
    for _ in tf.range(steps):
        total.assign_add(next(iterator))


iterator = iter(tf.data.Dataset.range(100).repeat())
for _ in range(4):
    loop(iterator, tf.constant(20))
loop(iterator, tf.constant(7))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

total = tf.Variable(0.0)


@tf.function
def loop(iterator, steps):
    for _ in tf.range(steps):
        total.assign_add(next(iterator))


iterator = iter(tf.data.Dataset.range(100).repeat())
for _ in range(4):
    npu_device.set_npu_loop_size(20)
    loop(iterator, tf.constant(20))
npu_device.set_npu_loop_size(7)
loop(iterator, tf.constant(7))
#### findings
3 TF2-INIT-1 auto
14 TF2-LOOP-1 auto
15 TF2-LOOP-1 auto
#### Keras runs several steps at once
import tensorflow as tf

model = tf.keras.applications.ResNet50()
model.compile('sgd', 'mse', steps_per_execution=10)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.applications.ResNet50()
npu_device.set_npu_loop_size(10)
model.compile('sgd', 'mse', steps_per_execution=10)
#### findings
3 TF2-INIT-1 auto
4 TF2-LOOP-1 auto-check
#### a signature that leaves the batch open
import tensorflow as tf

optimizer = tf.keras.optimizers.SGD(0.1)
weight = tf.Variable(tf.ones([4, 1]))


@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
def train_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.matmul(x, weight))
    optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])


for x in dataset:
    train_step(x)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

optimizer = tf.keras.optimizers.SGD(0.1)
weight = tf.Variable(tf.ones([4, 1]))


@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
def train_step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.matmul(x, weight))
    optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])


for x in dataset:
    train_step(x)
#### findings
3 TF2-INIT-1 auto
7 TF2-FUNC-3 manual
#### the loop size that the environment sets
import os

os.environ['NPU_LOOP_SIZE'] = '100'
import npu_device
import tensorflow as tf

npu_device.open().as_default()


@tf.function
def loop(iterator, steps):
    for _ in tf.range(steps):
        train_step(next(iterator))


loop(iter(dataset), tf.constant(100))
