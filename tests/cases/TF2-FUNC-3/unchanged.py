#### static
import tensorflow as tf
@tf.function(input_signature=[tf.TensorSpec([8, 28, 28], tf.float32)])
def step(images):
    return images
#### a scalar
import tensorflow as tf
@tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
def step(x):
    return x
#### none
import tensorflow as tf
@tf.function
def step(x):
    return x
#### for a dataset
import tensorflow as tf
dataset = tf.data.Dataset.from_generator(f, output_signature=tf.TensorSpec([None], tf.float32))
#### made elsewhere
import tensorflow as tf
step = tf.function(train_step, input_signature=make())
#### a training step
import tensorflow as tf


@tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))
#### findings
4 manual
#### a training step that is wrapped
import tensorflow as tf


def step(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(x))
    optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables))


fast = tf.function(step, input_signature=[tf.TensorSpec([None, 4], tf.float32)])
#### findings
10 manual
#### a step that is wrapped by what the signature is given to
import tensorflow as tf


class Trainer:
    def build(self):
        self.step = tf.function(input_signature=[tf.TensorSpec([None, 28, 28], tf.float32)])(self.train)

    def train(self, images):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(self.model(images))
        self.optimizer.minimize(loss, self.model.trainable_variables, tape=tape)
#### findings
6 manual
