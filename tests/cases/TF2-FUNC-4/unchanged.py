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
