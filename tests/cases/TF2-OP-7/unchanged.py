#### a guard of a value
import tensorflow as tf


def clean(x):
    return tf.where(tf.math.is_inf(x), tf.zeros_like(x), x)
#### findings
5 manual
#### a gradient guard
import tensorflow as tf


@tf.function
def finite(grads):
    return tf.reduce_all([tf.reduce_all(tf.math.is_finite(g)) for g in grads])
#### findings
6 manual
#### assertions
import tensorflow as tf


def checked(x):
    tf.debugging.Assert(tf.math.is_nan(x), [x])
    return tf.debugging.check_numerics(x, "bad")
#### findings
5 manual
6 info
#### in the input pipeline
import tensorflow as tf

dataset = tf.data.Dataset.range(3).filter(lambda x: tf.reduce_all(tf.math.is_finite(x)))
#### a value that Python looks at
import tensorflow as tf

if tf.math.is_nan(loss):
    raise ValueError
#### on the host
import numpy as np
import tensorflow as tf


def check(loss):
    return np.isnan(loss)
