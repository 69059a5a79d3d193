#### labels that are fed
import tensorflow as tf
labels = tf.sparse_placeholder(tf.int32, name='labels')
loss = tf.nn.ctc_loss(labels, logits, lengths)
#### after
import npu_ctc
import tensorflow as tf
labels = npu_ctc.sparse_placeholder(tf.int32, name='labels')
loss = tf.nn.ctc_loss(labels, logits, lengths)
#### findings
2 auto
#### labels that are fed to a loss of another file
import tensorflow as tf
import net
labels = tf.sparse_placeholder(tf.int32)
net.loss(labels)
#### file net.py
import tensorflow as tf
def loss(labels):
    return tf.nn.ctc_loss(labels, logits, lengths)
#### after
import npu_ctc
import tensorflow as tf
import net
labels = npu_ctc.sparse_placeholder(tf.int32)
net.loss(labels)
#### findings
3 auto
#### dense labels that are made sparse
import tensorflow as tf
labels = tf.contrib.layers.dense_to_sparse(dense, eos_token=-1)
loss = tf.nn.ctc_loss(labels, logits, lengths)
#### after
import npu_ctc
import tensorflow as tf
labels = npu_ctc.dense_to_sparse(dense, eos_token=-1)
loss = tf.nn.ctc_loss(labels, logits, lengths)
#### findings
2 auto
#### an iterator over parsed labels
import numpy as np
import tensorflow as tf
STEPS = 25
def parse(record):
    return tf.parse_single_example(record, {'labels': tf.VarLenFeature(tf.int64)})
dataset = tf.data.TFRecordDataset('x').map(parse).batch(8)
labels = dataset.make_one_shot_iterator().get_next()['labels']
loss = tf.nn.ctc_loss(labels, logits, STEPS * np.ones(8))
#### after
import npu_ctc
import numpy as np
import tensorflow as tf
STEPS = 25
def parse(record):
    return tf.parse_single_example(record, {'labels': tf.VarLenFeature(tf.int64)})
dataset = tf.data.TFRecordDataset('x').map(parse).batch(8)
labels = npu_ctc.make_one_shot_iterator(dataset, longest=STEPS).get_next()['labels']
loss = tf.nn.ctc_loss(labels, logits, STEPS * np.ones(8))
#### findings
5 info
7 auto-check
#### the number of frames is a setting that both files import
import tensorflow as tf
from config import settings
CFG = settings.cfg
class Reader(object):
    @staticmethod
    def _parse(batch):
        return tf.parse_example(batch, {'labels': tf.VarLenFeature(tf.int64)})
    def inputs(self):
        dataset = tf.data.TFRecordDataset('x').batch(8, drop_remainder=True)
        dataset = dataset.map(map_func=self._parse, num_parallel_calls=4)
        iterator = tf.data.make_initializable_iterator(dataset)
        return iterator, iterator.get_next(name='batch')
#### file config/__init__.py
#### file config/settings.py
cfg = read('settings.yml')
#### file train.py
import numpy as np
import tensorflow as tf
from config import settings
import main
CFG = settings.cfg
_, batch = main.Reader().inputs()
loss = tf.nn.ctc_loss(batch['labels'], logits, CFG.SEQ_LENGTH * np.ones(8))
#### after
import npu_ctc
import tensorflow as tf
from config import settings
CFG = settings.cfg
class Reader(object):
    @staticmethod
    def _parse(batch):
        return tf.parse_example(batch, {'labels': tf.VarLenFeature(tf.int64)})
    def inputs(self):
        dataset = tf.data.TFRecordDataset('x').batch(8, drop_remainder=True)
        dataset = dataset.map(map_func=self._parse, num_parallel_calls=4)
        iterator = npu_ctc.make_initializable_iterator(dataset, longest=CFG.SEQ_LENGTH)
        return iterator, iterator.get_next(name='batch')
#### findings
7 info
11 auto-check
#### the setting is imported for it
import tensorflow as tf
def parse(record):
    return tf.parse_single_example(record, {'labels': tf.VarLenFeature(tf.int64)})
def batches():
    dataset = tf.data.TFRecordDataset('x').map(parse).batch(8)
    iterator = dataset.make_initializable_iterator()
    return iterator
#### file config.py
SEQ_LENGTH = 25
#### file train.py
import config as cfg
import main
import tensorflow as tf
labels = main.batches().get_next()['labels']
loss = tf.nn.ctc_loss(labels, logits, tf.fill([8], cfg.SEQ_LENGTH), ignore_longer_outputs_than_inputs=True)
#### after
import config
import npu_ctc
import tensorflow as tf
def parse(record):
    return tf.parse_single_example(record, {'labels': tf.VarLenFeature(tf.int64)})
def batches():
    dataset = tf.data.TFRecordDataset('x').map(parse).batch(8)
    iterator = npu_ctc.make_initializable_iterator(dataset, longest=config.SEQ_LENGTH + 1, cut_longer=True)
    return iterator
#### findings
3 info
6 auto-check
#### labels of a program that only decodes
import tensorflow as tf
labels = tf.sparse_placeholder(tf.int32)
distance = tf.edit_distance(decoded, labels)
#### after
import npu_ctc
import tensorflow as tf
labels = npu_ctc.sparse_placeholder(tf.int32)
distance = tf.edit_distance(decoded, labels)
#### findings
2 auto
