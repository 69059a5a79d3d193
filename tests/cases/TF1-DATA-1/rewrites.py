#### training input function
import tensorflow as tf


def train_input_fn(files, batch_size):
    dataset = tf.data.TFRecordDataset(files).map(parse)
    return dataset.batch(batch_size)  # all of them
#### after
import tensorflow as tf


def train_input_fn(files, batch_size):
    dataset = tf.data.TFRecordDataset(files).map(parse)
    return dataset.batch(batch_size, drop_remainder=True)  # all of them
#### findings
6 auto
#### literal False by position is replaced in place
import tensorflow as tf
train = tf.data.Dataset.range(10).batch(4, False)
#### after
import tensorflow as tf
train = tf.data.Dataset.range(10).batch(4, True)
#### findings
2 auto
#### literal False by keyword is replaced in place
import tensorflow as tf
train = tf.data.Dataset.range(10).batch(drop_remainder=False, batch_size=4)
#### after
import tensorflow as tf
train = tf.data.Dataset.range(10).batch(drop_remainder=True, batch_size=4)
#### findings
2 auto
#### padded_batch has the option in fourth place
import tensorflow as tf
train = tf.data.Dataset.range(10).padded_batch(4, [], None, False)
train = tf.data.Dataset.range(10).padded_batch(4, padded_shapes=[])
#### after
import tensorflow as tf
train = tf.data.Dataset.range(10).padded_batch(4, [], None, True)
train = tf.data.Dataset.range(10).padded_batch(4, padded_shapes=[], drop_remainder=True)
#### findings
2 auto
3 auto
#### window has the option in fourth place
import tensorflow as tf
train = tf.data.Dataset.range(10).window(4, 1, 1, False)
#### after
import tensorflow as tf
train = tf.data.Dataset.range(10).window(4, 1, 1, True)
#### map_and_batch of both packages
import tensorflow as tf
from tensorflow.contrib.data import map_and_batch


def train(dataset: object, parse):
    d = tf.data.TFRecordDataset('x')
    d = d.apply(tf.data.experimental.map_and_batch(parse, 8, 2, False))
    d = d.apply(map_and_batch(parse, batch_size=8))
    return d
#### after
import tensorflow as tf
from tensorflow.contrib.data import map_and_batch


def train(dataset: object, parse):
    d = tf.data.TFRecordDataset('x')
    d = d.apply(tf.data.experimental.map_and_batch(parse, 8, 2, True))
    d = d.apply(map_and_batch(parse, batch_size=8, drop_remainder=True))
    return d
#### findings
7 auto
8 auto
#### bucket_by_sequence_length and make_batched_features_dataset
import tensorflow as tf


def train():
    d = tf.data.experimental.make_batched_features_dataset(files, 8, features, num_epochs=1)
    return d.apply(tf.data.experimental.bucket_by_sequence_length(length, [10], [4, 4]))
#### after
import tensorflow as tf


def train():
    d = tf.data.experimental.make_batched_features_dataset(files, 8, features, num_epochs=1, drop_final_batch=True)
    return d.apply(tf.data.experimental.bucket_by_sequence_length(length, [10], [4, 4], drop_remainder=True))
#### a chain over several lines with comments and a trailing comma
import tensorflow as tf

train_data = (
    tf.data.TextLineDataset(names)
    .shuffle(100)
    .batch(
        32,  # per device
    )
    .prefetch(1)
)
#### after
import tensorflow as tf

train_data = (
    tf.data.TextLineDataset(names)
    .shuffle(100)
    .batch(
        32, drop_remainder=True,  # per device
    )
    .prefetch(1)
)
#### findings
4 auto
#### an endless dataset loses nothing, whatever it serves
import tensorflow as tf


def eval_input_fn():
    d = tf.data.TFRecordDataset('x').repeat()
    return d.batch(8)
#### after
import tensorflow as tf


def eval_input_fn():
    d = tf.data.TFRecordDataset('x').repeat()
    return d.batch(8, drop_remainder=True)
#### findings
6 auto
#### an expression that may be False
import tensorflow as tf


def make(files, is_training):
    d = tf.data.TFRecordDataset(files)
    return d.batch(8, drop_remainder=is_training)
#### after
import tensorflow as tf


def make(files, is_training):
    d = tf.data.TFRecordDataset(files)
    return d.batch(8, drop_remainder=True)
#### findings
6 auto-check
#### one input function for training and evaluation
import tensorflow as tf


def input_fn(mode):
    d = tf.data.TFRecordDataset('x')
    if mode == tf.estimator.ModeKeys.TRAIN:
        d = d.shuffle(10).repeat()
    return d.batch(8)
#### after
import tensorflow as tf


def input_fn(mode):
    d = tf.data.TFRecordDataset('x')
    if mode == tf.estimator.ModeKeys.TRAIN:
        d = d.shuffle(10).repeat()
    return d.batch(8, drop_remainder=(mode == tf.estimator.ModeKeys.TRAIN))
#### findings
8 auto
#### training drops and evaluation keeps, whatever else the program decides
import tensorflow as tf


def builder(files, is_training, drop_remainder):
    def input_fn(params):
        d = tf.data.TFRecordDataset(files)
        if is_training:
            d = d.repeat()
            d = d.shuffle(buffer_size=100)
        return d.batch(batch_size=params['size'], drop_remainder=drop_remainder)
    return input_fn


est.train(builder(a, is_training=True, drop_remainder=True))
est.predict(builder(b, is_training=False, drop_remainder=FLAGS.use_tpu))
#### after
import tensorflow as tf


def builder(files, is_training, drop_remainder):
    def input_fn(params):
        d = tf.data.TFRecordDataset(files)
        if is_training:
            d = d.repeat()
            d = d.shuffle(buffer_size=100)
        return d.batch(batch_size=params['size'], drop_remainder=drop_remainder or bool(is_training))
    return input_fn


est.train(builder(a, is_training=True, drop_remainder=True))
est.predict(builder(b, is_training=False, drop_remainder=FLAGS.use_tpu))
#### findings
10 auto
#### a switch that the function computes may mean something else further on
import tensorflow as tf


def input_fn(mode):
    d = tf.data.TFRecordDataset('x')
    is_training = mode == 'train'
    if is_training:
        d = d.shuffle(10)
    return d.batch(8)
#### after
import tensorflow as tf


def input_fn(mode):
    d = tf.data.TFRecordDataset('x')
    is_training = mode == 'train'
    if is_training:
        d = d.shuffle(10)
    return d.batch(8, drop_remainder=True)
#### findings
9 auto-check
#### callers decide: only training calls it
import tensorflow as tf


def make(is_training):
    return tf.data.TFRecordDataset('x').batch(8 if is_training else 8)


make(is_training=True)
make(True)
#### after
import tensorflow as tf


def make(is_training):
    return tf.data.TFRecordDataset('x').batch(8 if is_training else 8, drop_remainder=True)


make(is_training=True)
make(True)
#### findings
5 auto
#### a lambda hands the pipeline to training
import tensorflow as tf


def input_fn(path):
    return tf.data.TFRecordDataset(path).batch(8)


est = tf.estimator.Estimator(model_fn)
est.train(input_fn=lambda: input_fn('a'))
#### after
import tensorflow as tf


def input_fn(path):
    return tf.data.TFRecordDataset(path).batch(8, drop_remainder=True)


est = tf.estimator.Estimator(model_fn)
est.train(input_fn=lambda: input_fn('a'))
#### findings
5 auto
#### nothing is known about what it serves
import tensorflow as tf
ds = tf.data.TFRecordDataset('x').batch(8)
#### after
import tensorflow as tf
ds = tf.data.TFRecordDataset('x').batch(8, drop_remainder=True)
#### findings
2 auto-check
#### the dataset comes from another file
import tensorflow as tf
from reader import records

train = records('x').batch(8)
#### file reader.py
import tensorflow.compat.v1 as tf


def records(path):
    return tf.data.TFRecordDataset(path)
#### after
import tensorflow as tf
from reader import records

train = records('x').batch(8, drop_remainder=True)
#### keyword arguments from a dictionary stay last
import tensorflow as tf
options = {}
train = tf.data.Dataset.range(9).batch(8)
other = tf.data.Dataset.range(9).batch(batch_size=8, **options)
#### after
import tensorflow as tf
options = {}
train = tf.data.Dataset.range(9).batch(8, drop_remainder=True)
other = tf.data.Dataset.range(9).batch(batch_size=8, **options)
#### findings
3 auto
4 manual
