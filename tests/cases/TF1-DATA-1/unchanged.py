#### already dropped, by keyword and by position
import tensorflow as tf
a = tf.data.Dataset.range(10).batch(4, True)
b = tf.data.Dataset.range(10).batch(4, drop_remainder=True)
c = tf.data.Dataset.range(10).padded_batch(4, [], None, True)
#### a constant that is True
import tensorflow as tf
DROP = True
a = tf.data.Dataset.range(10).batch(4, drop_remainder=DROP)
#### every caller says True
import tensorflow as tf


def make(drop):
    return tf.data.Dataset.range(10).batch(4, drop_remainder=drop)


make(True)
make(drop=True)
#### a user's class with a batch method
import tensorflow as tf


class Loader:
    def batch(self, size):
        return tf.data.Dataset.range(size)


Loader().batch(32)
#### a user's dataset whose batch is its own
import tensorflow as tf


class Mine(tf.data.Dataset):
    def batch(self, size):
        return self


Mine().batch(3)
#### other libraries have batch methods too
import numpy as np
import tensorflow as tf
import torch

np.batch(3)
torch.utils.batch(8)
with open('x') as handle:
    handle.batch(3)
#### an unknown object in a file that knows no datasets
import tensorflow as tf


def run(thing):
    thing.batch(32)
#### an unknown object with arguments no dataset takes
import tensorflow as tf
ds = tf.data.Dataset.range(3)


def run(thing):
    thing.batch(32, 4, 5)
    thing.batch()
    thing.batch(size=3)
#### an unknown object where datasets are used is a question
import tensorflow as tf
data = tf.data.Dataset.range(3)


def run(thing):
    return thing.batch(32)
#### findings
6 possible
#### the contrib function that drops by name
import tensorflow as tf
d = tf.data.Dataset.range(9).apply(tf.contrib.data.batch_and_drop_remainder(4))
#### make_batched_features_dataset without epochs drops by itself
import tensorflow as tf
d = tf.data.experimental.make_batched_features_dataset(files, 8, features)
e = tf.contrib.data.make_batched_features_dataset(files, 8, features, num_epochs=None)
f = tf.data.experimental.make_csv_dataset(files, 8)
#### transformations without the option
import tensorflow as tf
d = tf.data.experimental.make_csv_dataset(files, 8, num_epochs=1)
e = tf.contrib.data.bucket_by_sequence_length(length, [10], [4, 4])
#### findings
2 manual
3 manual
#### input functions over arrays
import tensorflow as tf
f = tf.estimator.inputs.numpy_input_fn({'x': x_train}, y_train, batch_size=32, shuffle=True)
g = tf.estimator.inputs.pandas_input_fn(frame, shuffle=False)
#### findings
2 manual
3 manual
#### arguments nobody sees
import tensorflow as tf
d = tf.data.Dataset.range(9).batch(*sizes)
#### findings
2 manual
#### one sample is never a full batch
import tensorflow as tf
d = tf.data.Dataset.from_tensors(text).batch(32)
#### findings
2 manual
#### test cases are left alone
import tensorflow as tf


class DataTest(tf.test.TestCase):
    def test_batches(self):
        tf.data.Dataset.range(9).batch(2)
#### evaluation uses every sample: a small data set may have no full batch
import tensorflow as tf


def input_fn():
    return tf.data.TFRecordDataset('x').batch(8)


est = tf.estimator.Estimator(model_fn)
est.evaluate(input_fn)
#### the program drops in training only
import tensorflow as tf


def input_fn(mode, is_training):
    d = tf.data.TFRecordDataset('x')
    if is_training:
        d = d.shuffle(10).repeat()
    return d.batch(8, drop_remainder=is_training)
