#### the input pipeline
import tensorflow as tf


def load(x):
    return tf.py_function(read, [x], tf.float32)


ds = tf.data.Dataset.range(3).map(load)
two = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(read, [x], tf.float32))
#### a test case
import tensorflow as tf


class PyTest(tf.test.TestCase):
    def test_function(self):
        tf.py_function(match, [1], tf.float32)
