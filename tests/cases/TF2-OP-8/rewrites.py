#### in a training step
import tensorflow as tf


@tf.function
def step(x):
    return tf.py_function(match, [x], tf.float32)
#### findings
6 manual
#### numpy, and a lambda
import tensorflow as tf

y = tf.numpy_function(match, [x], tf.float32)
z = tf.py_function(lambda v: v, [x], tf.float32)
#### findings
3 manual
#### a function named like preprocessing
import tensorflow as tf


def decode_image(x):
    return tf.py_function(read, [x], tf.float32)
#### findings
5 possible
