#### a shape with an unknown batch, on either side
import tensorflow as tf
dataset = tf.data.Dataset.range(8).batch(2)
images = dataset.make_one_shot_iterator().get_next()
assert images.get_shape().as_list() == [None, size, size, 3]
assert [None, 10] == images.shape.as_list(), 'shape'
assert images.shape.as_list() == [
    None,  # the batch
    size,
]
#### after
import tensorflow as tf
dataset = tf.data.Dataset.range(8).batch(2)
images = dataset.make_one_shot_iterator().get_next()
assert images.get_shape().as_list()[1:] == [size, size, 3]
assert [10] == images.shape.as_list()[1:], 'shape'
assert images.shape.as_list() == [
    None,  # the batch
    size,
]
#### findings
4 auto
5 auto
#### a shape of a model, where another file reads the data
import tensorflow as tf


def build(inputs):
    images = inputs['images']
    assert images.get_shape().as_list() == [None]
#### file data.py
import tensorflow as tf

dataset = tf.data.Dataset.range(8)
#### after
import tensorflow as tf


def build(inputs):
    images = inputs['images']
    assert images.get_shape().as_list()[1:] == []
#### findings
6 auto
