#### operators that choose elements
import tensorflow as tf


class Loss(tf.keras.losses.Loss):
    def call(self, y, p):
        a = tf.boolean_mask(p, y)
        b = tf.unique(p)
        c = tf.image.non_max_suppression(y, p, 10)
        d = tf.dynamic_partition(y, p, 2)
        e = tf.compat.v1.boolean_mask(p, y)
        return a, b, c, d, e
#### findings
6 manual
7 manual
8 manual
9 manual
10 manual
#### where with a condition alone
import tensorflow as tf


@tf.function
def positions(x):
    return tf.where(x > 0)
#### findings
6 manual
#### where that chooses between two
import tensorflow as tf


def relu(x):
    return tf.where(x > 0, x, 0.0)
#### in the input pipeline
import tensorflow as tf

dataset = tf.data.Dataset.range(3).map(lambda x: tf.boolean_mask(x, x > 0))
#### an operator that runs by itself
import tensorflow as tf

found = tf.where(labels > 0)
best = tf.boolean_mask(scores, scores > 0.5)
#### a test case
import tensorflow as tf


class MaskTest(tf.test.TestCase):
    def test_mask(self):
        tf.boolean_mask(x, mask)
#### a range up to a number of shapes
import tensorflow as tf


def count(x):
    return tf.range(tf.shape(x)[0])
#### a range up to a computed number
import tensorflow as tf


def count(x):
    return tf.range(tf.reduce_max(x))
#### findings
5 manual
