#### decorated
import tensorflow as tf
@tf.function
def train_step(images):
    with tf.GradientTape() as tape:
        loss = network(images)
train_step(x)
#### decorated with arguments
import tensorflow as tf
@tf.function(experimental_relax_shapes=True)
def train_step(images):
    with tf.GradientTape() as tape:
        loss = network(images)
train_step(x)
#### called by a compiled function
import tensorflow as tf
def train_step(images):
    with tf.GradientTape() as tape:
        loss = network(images)
@tf.function
def train(images):
    train_step(images)
train(x)
#### given to a strategy
import tensorflow as tf
def train_step(images):
    with tf.GradientTape() as tape:
        loss = network(images)
strategy.run(train_step, args=(x,))
#### compiled later
import tensorflow as tf
def train_step(images):
    with tf.GradientTape() as tape:
        loss = network(images)
step = tf.function(train_step)
#### a step that Keras compiles
import tensorflow as tf
class Model(tf.keras.Model):
    def train_step(self, data):
        with tf.GradientTape() as tape:
            loss = self(data)
        return {'loss': loss}
#### some decorator of the project
import tensorflow as tf
from tools import compiled
@compiled
def train_step(images):
    with tf.GradientTape() as tape:
        loss = network(images)
#### inside a compiled function
import tensorflow as tf
@tf.function
def train(images):
    def step(x):
        with tf.GradientTape() as tape:
            return network(x)
    return step(images)
#### a test
import tensorflow as tf
class StepTest(tf.test.TestCase):
    def test_step(self):
        with tf.GradientTape() as tape:
            loss = network(x)
#### noise that NumPy draws at each step
import numpy as np
import tensorflow as tf

generator = tf.keras.Sequential([tf.keras.layers.Dense(2)])
optimizer = tf.optimizers.Adam()


def run(real):
    noise = np.random.normal(size=[8, 4]).astype(np.float32)
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(generator(noise) - real)
    gradients = tape.gradient(loss, generator.trainable_variables)
    optimizer.apply_gradients(zip(gradients, generator.trainable_variables))
    return loss


for batch in dataset:
    run(batch)
#### findings
10 manual
#### a function that draws, and an object that counts
import random
import tensorflow as tf

network = tf.keras.Sequential([tf.keras.layers.Dense(2)])


class Pool:
    def __call__(self, x):
        self.count += 1
        return x


pool = Pool()


def rate():
    return 0.1 * random.random()


def drawn(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(network(x)) * rate()
    return tape.gradient(loss, network.trainable_variables)


def pooled(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(network(pool(x)))
    return tape.gradient(loss, network.trainable_variables)


for batch in dataset:
    drawn(batch)
    pooled(batch)
#### findings
21 manual
27 manual
