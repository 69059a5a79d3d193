#### operators that choose elements
import tensorflow as tf
a = tf.boolean_mask(x, mask)
b = tf.unique(x)
c = tf.unique_with_counts(x)
d = tf.image.non_max_suppression(boxes, scores, 10)
e = tf.dynamic_partition(x, parts, 2)
f = tf.compat.v1.boolean_mask(x, mask)
g = tf.sparse_retain(x, mask)
h = tf.sparse.retain(x, mask)
#### findings
2 manual
3 manual
4 manual
5 manual
6 manual
7 manual
8 manual
9 manual
#### where with a condition alone
import tensorflow as tf
a = tf.where(x > 0)
b = tf.where(condition=x > 0)
c = tf.compat.v2.where(x > 0)
#### findings
2 manual
3 manual
4 manual
#### where that chooses between two
import tensorflow as tf
a = tf.where(x > 0, x, y)
b = tf.where(x > 0, x=x, y=y)
c = tf.where(*arguments)
#### masks with and without a length
import tensorflow as tf
a = tf.sequence_mask(lengths)
b = tf.sequence_mask(lengths, None)
c = tf.sequence_mask(lengths, 128)
d = tf.sequence_mask(lengths, maxlen=tf.shape(x)[1])
#### findings
2 manual
3 manual
#### ranges
import tensorflow as tf
longest = tf.reduce_max(lengths)
a = tf.range(longest)
b = tf.range(0, tf.reduce_sum(counts) + 1)
c = tf.range(10)
d = tf.range(tf.shape(x)[0])
size = tf.shape(x)[0]
e = tf.range(size)
f = tf.range(x.get_shape()[1].value)
g = tf.range(unknown)
#### findings
3 manual
4 manual
#### reshapes
import tensorflow as tf
n = tf.reduce_max(lengths)
a = tf.reshape(x, [-1, n])
b = tf.reshape(x, [-1, 784])
c = tf.reshape(x, [tf.shape(x)[0], -1])
d = tf.reshape(x, [n, 4])
e = tf.reshape(x, shape)
#### findings
3 manual
#### the padded suppression, with and without padding
import tensorflow as tf
a = tf.image.non_max_suppression_padded(boxes, scores, 10)
b = tf.image.non_max_suppression_padded(boxes, scores, 10, pad_to_max_output_size=True)
#### findings
2 manual
#### the input pipeline runs on the host
import functools
import tensorflow as tf


def parse(x):
    return tf.boolean_mask(x, x > 0)


def drop(x, low):
    return helper(x)


def helper(x):
    return tf.unique(x)


def generate():
    yield tf.where([True])


d = tf.data.TFRecordDataset('x').map(parse)
d = d.filter(lambda x: tf.size(tf.where(x)) > 0)
d = d.map(functools.partial(drop, low=1))
d = d.apply(tf.data.experimental.map_and_batch(lambda x: tf.unique(x)[0], 8, drop_remainder=True))
e = tf.data.Dataset.from_generator(generate, tf.int32)
#### handed to a dataset in another file
import tensorflow as tf


def parse(x):
    return tf.boolean_mask(x, x > 0)
#### file train.py
import tensorflow as tf
import main

d = tf.data.TFRecordDataset('x').map(main.parse)
#### handed on through a parameter
import tensorflow as tf


def make(parse):
    return tf.data.TFRecordDataset('x').map(parse)


def parse(x):
    return tf.boolean_mask(x, x > 0)


make(parse)
#### an object that is called
import tensorflow as tf


class Crop:
    def __call__(self, x):
        return tf.boolean_mask(x, x > 0)


d = tf.data.TFRecordDataset('x').map(Crop())
#### a function of both worlds is reported
import tensorflow as tf


def chosen(x):
    return tf.boolean_mask(x, x > 0)


d = tf.data.TFRecordDataset('x').map(lambda x: chosen(x))
loss = chosen(logits)
#### findings
5 manual
#### it may be preprocessing
import tensorflow as tf


def preprocess_image(image):
    return tf.boolean_mask(image, image > 0)
#### findings
5 possible
#### other libraries
import numpy as np
from mylib import boolean_mask
a = np.where(x > 0)
b = np.unique(x)
c = boolean_mask(x, mask)
#### reductions along an axis, of other masks, and with a remark
import tensorflow as tf
a = tf.reduce_mean(tf.boolean_mask(x, mask), axis=0)
b = tf.reduce_mean(tf.boolean_mask(x, mask), 0)
c = tf.reduce_sum(tf.boolean_mask(x, mask, axis=1))
d = tf.reduce_max(tf.boolean_mask(x, mask))
e = tf.reduce_mean(tf.boolean_mask(
    x,  # the losses
    mask))
f = tf.reduce_mean(tf.boolean_mask(x, mask), **options)
#### findings
2 manual
3 manual
4 manual
5 manual
6 manual
9 manual
