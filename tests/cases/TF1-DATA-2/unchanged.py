#### one device needs no shard
import tensorflow as tf
train = tf.data.TFRecordDataset('x')
#### sharded already, whoever gives the ranks
import tensorflow as tf


def train(n, i):
    return tf.data.TFRecordDataset('x').shard(n, i)
#### with distributed=horovod
#### sharded with Horovod's ranks
import horovod.tensorflow as hvd
import tensorflow as tf


def train():
    d = tf.data.TFRecordDataset('x')
    return d.shard(hvd.size(), hvd.rank())
#### with distributed=horovod
#### each rank takes its own files
import horovod.tensorflow as hvd
import tensorflow as tf


def train(files):
    return tf.data.TFRecordDataset(files[hvd.rank()::hvd.size()])
#### with distributed=horovod
#### the caller shards
import tensorflow as tf


def records():
    return tf.data.TFRecordDataset('x')


def train(n, i):
    return records().shard(n, i)
#### with distributed=horovod
#### evaluation reads everything
import tensorflow as tf


def eval_input_fn():
    return tf.data.TFRecordDataset('x')
#### with distributed=horovod
#### a file read inside interleave is not a source
import tensorflow as tf


def train(n, i):
    files = tf.data.Dataset.range(4).shard(n, i)
    return files.interleave(_read, 4)


def _read(name):
    return tf.data.TFRecordDataset(name)
#### with distributed=horovod
#### joined datasets are for a person
import tensorflow as tf


def train():
    images = tf.data.FixedLengthRecordDataset('a', 4).shuffle(8, seed=1)
    labels = tf.data.FixedLengthRecordDataset('b', 1).shuffle(8, seed=1)
    return tf.data.Dataset.zip((images, labels))
#### with distributed=horovod
#### findings
5 manual
6 manual
#### files that Python shuffles on each device
import random
import tensorflow as tf


def train(files):
    random.shuffle(files)
    return tf.data.TFRecordDataset(files)
#### with distributed=horovod
#### findings
7 manual
#### it is not certain what the pipeline serves
import tensorflow as tf


def make(path):
    return tf.data.TFRecordDataset(path)
#### with distributed=horovod
#### findings
5 manual
#### the training branch comes after a shuffle
import tensorflow as tf


def make(path, is_training):
    d = tf.data.TFRecordDataset(path)
    d = d.shuffle(8)
    if is_training:
        d = d.repeat()
    return d
#### with distributed=horovod
#### findings
5 manual
#### functions that read and batch in one
import tensorflow as tf
train = tf.data.experimental.make_csv_dataset('train/*.csv', 32)
#### with distributed=horovod
#### findings
2 manual
#### somebody else's dataset class
from mydata import TFRecordDataset
train = TFRecordDataset('x')
#### with distributed=horovod
#### joined sources whose function also makes batches
import tensorflow as tf
def dataset(images_file, labels_file):
    images = tf.data.FixedLengthRecordDataset(images_file, 784)
    labels = tf.data.FixedLengthRecordDataset(labels_file, 1)
    return tf.data.Dataset.zip((images, labels)).batch(8)
def train(folder):
    return dataset(folder + '/train-images', folder + '/train-labels')
def test(folder):
    return dataset(folder + '/test-images', folder + '/test-labels')
#### with distributed=tf_strategy
#### findings
3 manual
4 manual
#### arrays that cannot be seen
import tensorflow as tf
train_fn = tf.estimator.inputs.numpy_input_fn(features, labels, batch_size=8)
#### with distributed=tf_strategy
#### findings
2 manual
#### arrays that are divided
import tensorflow as tf
train_fn = tf.estimator.inputs.numpy_input_fn({'x': x[rank::size]}, y[rank::size])
#### with distributed=tf_strategy
#### one input function for both that is also passed on
import tensorflow as tf


def input_fn(files=None):
    return tf.data.TextLineDataset(files).batch(8)


train = tf.estimator.TrainSpec(input_fn=lambda: input_fn(a))
evaluate = tf.estimator.EvalSpec(input_fn=input_fn)
#### with distributed=tf_strategy
#### findings
5 manual
#### one input function for both that takes any argument
import tensorflow as tf


def input_fn(*files):
    return tf.data.TextLineDataset(files).batch(8)


train = tf.estimator.TrainSpec(input_fn=lambda: input_fn(a))
evaluate = tf.estimator.EvalSpec(input_fn=lambda: input_fn(b))
#### with distributed=tf_strategy
#### findings
5 manual
#### joined sources that make batches before
import tensorflow as tf


def train():
    images = tf.data.FixedLengthRecordDataset('a', 4).batch(8)
    labels = tf.data.FixedLengthRecordDataset('b', 1).batch(8)
    return tf.data.Dataset.zip((images, labels))
#### with distributed=horovod
#### findings
5 manual
6 manual
#### sources that are zipped and joined in another way
import tensorflow as tf


def train():
    images = tf.data.FixedLengthRecordDataset('a', 4)
    more = tf.data.FixedLengthRecordDataset('c', 4)
    labels = tf.data.FixedLengthRecordDataset('b', 1)
    return tf.data.Dataset.zip((images.concatenate(more), labels))
#### with distributed=horovod
#### findings
5 manual
6 manual
7 manual
#### files of many samples, read through a queue
import tensorflow as tf


def load(paths):
    queue = tf.train.string_input_producer(paths)
    return tf.TFRecordReader().read(queue)
#### with distributed=tf_strategy
#### a part of the files, read through a queue
import tensorflow as tf


def load(paths, rank, size):
    queue = tf.train.string_input_producer(paths[rank::size])
    return tf.WholeFileReader().read(queue)
#### with distributed=tf_strategy
#### files that are evaluated, read through a queue
import tensorflow as tf


def evaluate(paths):
    queue = tf.train.string_input_producer(paths)
    return tf.WholeFileReader().read(queue)
#### with distributed=tf_strategy
