#### features of variable length are reported once a function
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
#### the type is only tested
import tensorflow as tf


def is_sparse(x):
    return isinstance(x, tf.SparseTensor)
#### sparse numbers that are no labels
import tensorflow as tf
weights = tf.sparse_placeholder(tf.float32)
loss = tf.nn.ctc_loss(labels, logits, lengths)
#### findings
2 manual
#### a dataset without sparse tensors
import tensorflow as tf
def parse(record):
    return tf.parse_single_example(record, {'labels': tf.FixedLenFeature([8], tf.int64)})
dataset = tf.data.TFRecordDataset('x').map(parse)
iterator = dataset.make_one_shot_iterator()
loss = tf.nn.ctc_loss(labels, logits, [25] * 8)
#### sparse features of a network without CTC
import tensorflow as tf
def parse(record):
    return tf.parse_single_example(record, {'words': tf.VarLenFeature(tf.int64)})
dataset = tf.data.TFRecordDataset('x').map(parse)
iterator = dataset.make_one_shot_iterator()
#### findings
3 manual
#### sequence lengths that come from the data are made dense on the host
import tensorflow as tf
def parse(record):
    return tf.parse_single_example(record, {'labels': tf.VarLenFeature(tf.int64)})
dataset = tf.data.TFRecordDataset('x').map(parse).batch(8)
labels, lengths = dataset.make_one_shot_iterator().get_next()
loss = tf.nn.ctc_loss(labels, logits, lengths)
#### findings
3 info
#### an iterator that more is done with
import tensorflow as tf
def parse(record):
    return tf.parse_single_example(record, {'labels': tf.VarLenFeature(tf.int64)})
dataset = tf.data.TFRecordDataset('x').map(parse).batch(8)
iterator = dataset.make_one_shot_iterator()
handle = iterator.string_handle()
loss = tf.nn.ctc_loss(labels, logits, [25] * 8)
#### findings
3 info
#### labels that are put together from what is fed
import tensorflow as tf
labels = tf.SparseTensor(places, values, shape)
loss = tf.nn.ctc_loss(labels, logits, lengths)
#### with npu.mix_compile_mode=True
#### findings
2 info
