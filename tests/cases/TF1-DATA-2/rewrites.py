#### source of a training pipeline
import tensorflow as tf


def train_input_fn(files):
    d = tf.data.TFRecordDataset(files)
    return d.shuffle(10).repeat()
#### file train.py
import horovod.tensorflow as hvd
import main
hvd.init()
#### with distributed=horovod
#### after
import tensorflow as tf
from hccl.manage.api import get_rank_id, get_rank_size


def train_input_fn(files):
    d = tf.data.TFRecordDataset(files).shard(get_rank_size(), get_rank_id())
    return d.shuffle(10).repeat()
#### findings
5 auto-check
#### before shuffle in one chain over lines
import tensorflow as tf

train_data = (tf.data.Dataset.from_tensor_slices(names)  # files
              .shuffle(8)
              .interleave(tf.data.TFRecordDataset, 4))
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf

train_data = (tf.data.Dataset.from_tensor_slices(names).shard(int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))  # files
              .shuffle(8)
              .interleave(tf.data.TFRecordDataset, 4))
#### findings
3 auto-check
#### the training branch of a shared input function
import tensorflow as tf


def input_fn(path, is_training):
    d = tf.data.TFRecordDataset(path)
    d = d.map(parse)
    if is_training:
        # an endless stream
        d = d.repeat()
        d = d.shuffle(100)
    return d.batch(8)
#### file train.py
import horovod.tensorflow as hvd
import main
hvd.init()
#### with distributed=horovod
#### after
import tensorflow as tf
from hccl.manage.api import get_rank_id, get_rank_size


def input_fn(path, is_training):
    d = tf.data.TFRecordDataset(path)
    d = d.map(parse)
    if is_training:
        d = d.shard(get_rank_size(), get_rank_id())
        # an endless stream
        d = d.repeat()
        d = d.shuffle(100)
    return d.batch(8)
#### findings
5 auto-check
#### listed files get one order everywhere
import tensorflow as tf


def train_data(pattern):
    files = tf.data.Dataset.list_files(pattern)
    return files.interleave(lambda name: tf.data.TFRecordDataset(name), 4)
#### file train.py
import horovod.tensorflow as hvd
import main
hvd.init()
#### with distributed=horovod
#### after
import tensorflow as tf
from hccl.manage.api import get_rank_id, get_rank_size


def train_data(pattern):
    files = tf.data.Dataset.list_files(pattern, shuffle=False).shard(get_rank_size(), get_rank_id())
    return files.interleave(lambda name: tf.data.TFRecordDataset(name), 4)
#### findings
5 auto-check
#### a script of a Horovod project that does not initialise it
import tensorflow as tf


def train_data(name):
    dataset = tf.data.TFRecordDataset(name)
    return dataset.shuffle(9).repeat().batch(4)
#### with distributed=horovod
#### after
import os
import tensorflow as tf


def train_data(name):
    dataset = tf.data.TFRecordDataset(name).shard(int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))
    return dataset.shuffle(9).repeat().batch(4)
#### joined sources, divided where their function is called for training
import os
import tensorflow as tf
def dataset(images_file, labels_file):
    images = tf.data.FixedLengthRecordDataset(images_file, 784)
    labels = tf.data.FixedLengthRecordDataset(labels_file, 1).map(decode)
    return tf.data.Dataset.zip((images, labels))
def train(folder):
    return dataset(folder + '/train-images', folder + '/train-labels')
def test(folder):
    return dataset(folder + '/test-images', folder + '/test-labels')
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
def dataset(images_file, labels_file):
    images = tf.data.FixedLengthRecordDataset(images_file, 784)
    labels = tf.data.FixedLengthRecordDataset(labels_file, 1).map(decode)
    return tf.data.Dataset.zip((images, labels))
def train(folder):
    return dataset(folder + '/train-images', folder + '/train-labels').shard(int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))
def test(folder):
    return dataset(folder + '/test-images', folder + '/test-labels')
#### findings
4 auto-check
#### arrays of an input function
import os
import tensorflow as tf
train_fn = tf.estimator.inputs.numpy_input_fn(
    x={'images': mnist.train.images}, y=a + b, batch_size=8, shuffle=True)
eval_fn = tf.estimator.inputs.numpy_input_fn(x={'images': mnist.test.images}, y=labels)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
train_fn = tf.estimator.inputs.numpy_input_fn(
    x={'images': mnist.train.images[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))]}, y=(a + b)[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], batch_size=8, shuffle=True)
eval_fn = tf.estimator.inputs.numpy_input_fn(x={'images': mnist.test.images}, y=labels)
#### findings
3 auto-check
#### one input function for training and evaluation, which only its callers tell apart
import os
import tensorflow as tf


def input_fn(files, batch_size=32):
    dataset = tf.data.TextLineDataset(files).map(parse)
    return dataset.repeat().batch(batch_size)


def main(flags):
    if flags.task == 'train':
        train = tf.estimator.TrainSpec(input_fn=lambda: input_fn(flags.a, batch_size=8))
        evaluate = tf.estimator.EvalSpec(input_fn=lambda: input_fn(flags.b))
        tf.estimator.train_and_evaluate(estimator, train, evaluate)
    else:
        estimator.predict(input_fn=lambda: input_fn(flags.c))
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf


def input_fn(files, batch_size=32, npu_train=False):
    dataset = tf.data.TextLineDataset(files).shard(int(os.getenv('RANK_SIZE', '1')) if npu_train else 1, int(os.getenv('RANK_ID', '0')) if npu_train else 0).map(parse)
    return dataset.repeat().batch(batch_size)


def main(flags):
    if flags.task == 'train':
        train = tf.estimator.TrainSpec(input_fn=lambda: input_fn(flags.a, batch_size=8, npu_train=True))
        evaluate = tf.estimator.EvalSpec(input_fn=lambda: input_fn(flags.b))
        tf.estimator.train_and_evaluate(estimator, train, evaluate)
    else:
        estimator.predict(input_fn=lambda: input_fn(flags.c))
#### findings
6 auto-check
#### files that Python shuffles, in an order of its own in every process
import os
import random
import tensorflow as tf

FILES = ['a', 'b']


def train_input(files):
    return tf.data.TextLineDataset(files).batch(8)


random.shuffle(FILES)
#### with distributed=tf_strategy
#### after
import numpy
import os
import random
import tensorflow as tf

if int(os.getenv("RANK_SIZE", "1")) > 1:
    # all ranks must draw their samples in one order
    random.seed(20)
    numpy.random.seed(20)

FILES = ['a', 'b']


def train_input(files):
    return tf.data.TextLineDataset(files).shard(int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0'))).batch(8)


random.shuffle(FILES)
#### one name for the input function of training and for that of evaluation
import os
import tensorflow as tf
model = tf.estimator.Estimator(model_fn)
input_fn = tf.estimator.inputs.numpy_input_fn({'x': images}, labels, shuffle=True)
model.train(input_fn, steps=9)
input_fn = tf.estimator.inputs.numpy_input_fn({'x': test_images}, test_labels, shuffle=False)
model.evaluate(input_fn)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
model = tf.estimator.Estimator(model_fn)
input_fn = tf.estimator.inputs.numpy_input_fn({'x': images[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))]}, labels[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], shuffle=True)
model.train(input_fn, steps=9)
input_fn = tf.estimator.inputs.numpy_input_fn({'x': test_images}, test_labels, shuffle=False)
model.evaluate(input_fn)
#### findings
4 auto-check
#### sources whose samples are zipped
import tensorflow as tf


def train():
    images = tf.data.FixedLengthRecordDataset('a', 4).map(decode)
    labels = tf.data.FixedLengthRecordDataset('b', 1)
    data = tf.data.Dataset.zip((images, labels))
    return data.shuffle(8).batch(4)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf


def train():
    images = tf.data.FixedLengthRecordDataset('a', 4).map(decode)
    labels = tf.data.FixedLengthRecordDataset('b', 1)
    data = tf.data.Dataset.zip((images, labels)).shard(int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))
    return data.shuffle(8).batch(4)
#### findings
5 auto-check
#### arrays that are joined before
import numpy as np
import tensorflow as tf


def train(some, others):
    data = tf.data.Dataset.from_tensor_slices(np.concatenate([some, others]))
    return data.batch(4)
#### with distributed=tf_strategy
#### after
import numpy as np
import os
import tensorflow as tf


def train(some, others):
    data = tf.data.Dataset.from_tensor_slices(np.concatenate([some, others])).shard(int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))
    return data.batch(4)
#### findings
6 auto-check
#### files of one sample each, read through a queue
import tensorflow as tf


def load(paths):
    queue = tf.train.string_input_producer(sorted(paths), shuffle=True)
    name, content = tf.WholeFileReader().read(queue)
    return tf.train.batch([tf.image.decode_png(content)], 8)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf


def load(paths):
    queue = tf.train.string_input_producer(sorted(paths)[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], shuffle=True)
    name, content = tf.WholeFileReader().read(queue)
    return tf.train.batch([tf.image.decode_png(content)], 8)
#### findings
5 auto-check
#### arrays, read through a queue
import tensorflow as tf


def load(images, labels, pairs):
    image, label = tf.train.slice_input_producer([images, labels], shuffle=True)
    more = tf.train.slice_input_producer(pairs)
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf


def load(images, labels, pairs):
    image, label = tf.train.slice_input_producer([images[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], labels[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))]], shuffle=True)
    more = tf.train.slice_input_producer([one[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))] for one in pairs])
#### findings
5 auto-check
6 auto-check
