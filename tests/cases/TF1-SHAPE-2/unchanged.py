#### other shapes, and comparisons that choose
import tensorflow as tf
dataset = tf.data.Dataset.range(8)
assert x.get_shape().as_list() == [8, None]
assert x.get_shape().as_list()[1:] == [28, 28]
assert x.get_shape().as_list() != [None, 28]
assert x.get_shape().as_list() == expected
if x.get_shape().as_list() == [None, 28]:
    y = x
#### a project that feeds its batches
import tensorflow as tf
x = tf.placeholder(tf.float32, [None, 28])
assert x.get_shape().as_list() == [None, 28]
