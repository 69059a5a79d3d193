#### TensorFlow's functions, approximate or not
import tensorflow as tf

a = tf.nn.gelu(x, approximate=True)
b = tf.keras.activations.gelu(x)
#### findings
3 info
#### by name
import tensorflow as tf

layer = tf.keras.layers.Dense(64, activation="gelu")
#### findings
3 info
#### written out
import numpy as np
import tensorflow as tf


def activation(x):
    cdf = 0.5 * (1.0 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3))))
    return x * cdf


def gelu(x):
    return 0.5 * x * (1.0 + tf.math.erf(x / tf.sqrt(2.0)))
#### findings
5 info
