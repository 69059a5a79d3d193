#### features of variable length are told once a function
import tensorflow as tf


def parse(record):
    return tf.parse_single_example(record, {
        'labels': tf.VarLenFeature(tf.int64),
        'boxes': tf.io.VarLenFeature(tf.float32),
    })
#### findings
6 manual
#### made dense in the parsing function
import tensorflow as tf


def parse(record):
    parsed = tf.io.parse_single_example(record, {'words': tf.io.VarLenFeature(tf.int64)})
    return tf.sparse.to_dense(parsed['words'])
#### findings
5 info
#### the values are taken out
import tensorflow as tf


def parse(record):
    parsed = tf.parse_single_example(record, {'x': tf.VarLenFeature(tf.float32)})
    return tf.expand_dims(parsed['x'].values, 0)
#### findings
5 info
#### sparse and ragged tensors in the graph
import tensorflow as tf
labels = tf.sparse_placeholder(tf.int32)
codes = tf.contrib.layers.dense_to_sparse(dense)
words = tf.ragged.constant([[1], [2, 3]])
made = tf.SparseTensor(found, values, shape)
#### findings
2 manual
3 manual
4 manual
5 manual
#### constant indices are what an NPU can do
import numpy as np
import tensorflow as tf
a = tf.SparseTensor(indices=[[0, 0], [0, 1]], values=v, dense_shape=[1, 2])
b = tf.SparseTensor(np.array(places), v, [1, 2])
#### sparse tensors of the input pipeline stay on the host
import tensorflow as tf


def _pad(x):
    return tf.sparse.to_dense(tf.sparse.from_dense(x))


dataset = tf.data.TFRecordDataset('x').map(_pad)
#### fixed lengths
import tensorflow as tf
features = {'x': tf.FixedLenFeature([8], tf.float32)}
#### somebody else's feature
from mylib import VarLenFeature
features = {'x': VarLenFeature(int)}
#### the type is only asked about
import tensorflow as tf


def is_sparse(x):
    return isinstance(x, tf.SparseTensor)
