#### a source and what follows
import tensorflow as tf
dataset = tf.data.TFRecordDataset(train_files)
dataset = dataset.shuffle(1000).repeat().batch(batch_size)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
dataset = tf.data.TFRecordDataset(train_files)
dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(dataset, batch_size)
dataset = dataset.shuffle(1000).repeat().batch(npu_batch_size)
#### findings
3 auto
#### one chain
import tensorflow as tf
train = tf.data.Dataset.from_tensor_slices((x, y)).shuffle(1000).repeat().batch(32, drop_remainder=True).prefetch(1)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.data.Dataset.from_tensor_slices((x, y)), 32)
train = npu_dataset.shuffle(1000).repeat().batch(npu_batch_size, drop_remainder=True).prefetch(1)
#### findings
2 auto
#### a chain over several lines
import tensorflow as tf
train_ds = (
    tf.data.Dataset.from_tensor_slices((x, y))  # all of it
    .shuffle(1000)
    .repeat()
    .batch(FLAGS.batch_size)
)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.data.Dataset.from_tensor_slices((x, y)), FLAGS.batch_size)
train_ds = (
    npu_dataset  # all of it
    .shuffle(1000)
    .repeat()
    .batch(npu_batch_size)
)
#### findings
3 auto
#### a step that is left out at times
import tensorflow as tf
def train_input(files, batch_size, shuffle):
    dataset = tf.data.TFRecordDataset(files)
    if shuffle:
        dataset = dataset.shuffle(1000)
    dataset = dataset.map(parse)
    dataset = dataset.repeat()
    return dataset.batch(batch_size, drop_remainder=True)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def train_input(files, batch_size, shuffle):
    dataset = tf.data.TFRecordDataset(files)
    dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(dataset, batch_size)
    if shuffle:
        dataset = dataset.shuffle(1000)
    dataset = dataset.map(parse)
    dataset = dataset.repeat()
    return dataset.batch(npu_batch_size, drop_remainder=True)
#### findings
8 auto
#### files are listed in one order
import tensorflow as tf
def train_input(pattern, batch_size):
    files = tf.data.Dataset.list_files(pattern)
    dataset = files.interleave(tf.data.TFRecordDataset)
    return dataset.repeat().batch(batch_size)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def train_input(pattern, batch_size):
    files = tf.data.Dataset.list_files(pattern, shuffle=False)
    files, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(files, batch_size)
    dataset = files.interleave(tf.data.TFRecordDataset)
    return dataset.repeat().batch(npu_batch_size)
#### findings
5 auto-check
#### for a strategy: branches for several pipelines are never taken
import tensorflow as tf
def train_dataset(ctx):
    dataset = tf.data.TFRecordDataset(files)
    if ctx.num_input_pipelines > 1:
        dataset = dataset.shard(ctx.num_input_pipelines, ctx.input_pipeline_id)
    return dataset.repeat().batch(ctx.get_per_replica_batch_size(64))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def train_dataset(ctx):
    dataset = tf.data.TFRecordDataset(files)
    dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(dataset, ctx.get_per_replica_batch_size(64))
    if ctx.num_input_pipelines > 1:
        dataset = dataset.shard(ctx.num_input_pipelines, ctx.input_pipeline_id)
    return dataset.repeat().batch(npu_batch_size)
#### findings
6 auto
#### it ends: all ranks need the same number of steps
import tensorflow as tf
train = tf.data.Dataset.from_tensor_slices((x, y)).batch(32)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.data.Dataset.from_tensor_slices((x, y)), 32)
train = npu_dataset.batch(npu_batch_size)
#### findings
2 auto-check
#### a source that evaluation reads, too
import tensorflow as tf
data = tf.data.Dataset.from_tensor_slices((x, y))
train = data.skip(100).repeat().batch(32)
validation = data.take(100).batch(32)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
data = tf.data.Dataset.from_tensor_slices((x, y))
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(data.skip(100), 32)
train = npu_dataset.repeat().batch(npu_batch_size)
validation = data.take(100).batch(32)
#### findings
3 auto
#### shuffled with a seed: in one order on all ranks
import tensorflow as tf
train = tf.data.Dataset.from_tensor_slices((x, y))
train = train.shuffle(1000, seed=1).repeat().batch(32)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
train = tf.data.Dataset.from_tensor_slices((x, y))
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(train.shuffle(1000, seed=1), 32)
train = npu_dataset.repeat().batch(npu_batch_size)
#### findings
3 auto
#### what it serves is not known, in a file that trains
import tensorflow as tf
data = tf.data.Dataset.range(100).repeat().batch(10)
model.fit(data)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.data.Dataset.range(100), 10)
data = npu_dataset.repeat().batch(npu_batch_size)
model.fit(data)
#### findings
2 auto
#### arrays of Keras' data
import tensorflow as tf
(x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
x_train = x_train.astype('float32') / 255
model = tf.keras.Sequential()
model.fit(x_train, y_train, batch_size=args.batch, epochs=3, validation_data=(x_test, y_test))
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
(x_train, y_train), (x_test, y_test) = tf.keras.datasets.mnist.load_data()
x_train = x_train.astype('float32') / 255
model = tf.keras.Sequential()
model.fit(x_train[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], y_train[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], batch_size=args.batch // int(os.getenv('RANK_SIZE', '1')), epochs=3, validation_data=(x_test, y_test))
#### findings
5 auto-check
#### arrays of numpy, with the usual batch
import numpy as np
import tensorflow as tf
x = np.zeros((64, 8))
model = tf.keras.Sequential()
model.fit(x, np.ones(64))
#### with distributed=tf_strategy
#### after
import numpy as np
import os
import tensorflow as tf
x = np.zeros((64, 8))
model = tf.keras.Sequential()
model.fit(x[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], np.ones(64)[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], batch_size=32 // int(os.getenv('RANK_SIZE', '1')))
#### findings
5 auto-check
#### an array that is computed in the call
import numpy as np
import tensorflow as tf
model = tf.keras.Sequential()
images = np.load('x.npy')
model.fit(x=images / 255, y=np.load('y.npy'), batch_size=n * 2)
#### with distributed=tf_strategy
#### after
import numpy as np
import os
import tensorflow as tf
model = tf.keras.Sequential()
images = np.load('x.npy')
model.fit(x=(images / 255)[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], y=np.load('y.npy')[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], batch_size=(n * 2) // int(os.getenv('RANK_SIZE', '1')))
#### findings
5 auto-check
#### random arrays
import numpy as np
import tensorflow as tf
x = np.random.RandomState(0).rand(64, 8).astype('float32')
model = tf.keras.Sequential()
model.fit(x, np.ones(64), batch_size=8)
#### with distributed=tf_strategy
#### after
import numpy as np
import os
import tensorflow as tf
x = np.random.RandomState(0).rand(64, 8).astype('float32')
model = tf.keras.Sequential()
model.fit(x[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], np.ones(64)[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], batch_size=8 // int(os.getenv('RANK_SIZE', '1')))
#### findings
5 auto-check
#### batches that tensorflow_datasets makes
import tensorflow as tf
import tensorflow_datasets as tfds
data = tfds.load("mnist", split="train", batch_size=32)
model.fit(data)
#### with distributed=tf_strategy
#### findings
3 manual
#### for training and evaluation: a switch decides
import tensorflow as tf
def input_fn(is_training, batch_size):
    dataset = tf.data.TFRecordDataset(files)
    if is_training:
        dataset = dataset.shuffle(1000)
    return dataset.batch(batch_size)
train = input_fn(True, 8)
test = input_fn(False, 8)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def input_fn(is_training, batch_size):
    dataset = tf.data.TFRecordDataset(files)
    npu_batch_size = batch_size
    if is_training:
        dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(dataset, batch_size)
    if is_training:
        dataset = dataset.shuffle(1000)
    return dataset.batch(npu_batch_size)
train = input_fn(True, 8)
test = input_fn(False, 8)
#### findings
6 auto-check
#### for training and evaluation: a mode decides, over files in one order
import tensorflow as tf
def input_fn(mode, batch_size):
    dataset = tf.data.Dataset.list_files(mode + '-*')
    dataset = dataset.interleave(tf.data.TFRecordDataset)
    if mode == 'train':
        dataset = dataset.shuffle(1000).repeat()
    return dataset.batch(batch_size)
train = input_fn('train', 8)
test = input_fn('test', 8)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def input_fn(mode, batch_size):
    dataset = tf.data.Dataset.list_files(mode + '-*', shuffle=False)
    npu_batch_size = batch_size
    if mode == 'train':
        dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(dataset, batch_size)
    dataset = dataset.interleave(tf.data.TFRecordDataset)
    if mode == 'train':
        dataset = dataset.shuffle(1000).repeat()
    return dataset.batch(npu_batch_size)
train = input_fn('train', 8)
test = input_fn('test', 8)
#### findings
7 auto-check
#### for training and evaluation, in one chain
import tensorflow as tf
def input_fn(is_training, batch_size):
    return tf.data.TFRecordDataset(files(is_training)).map(parse).batch(batch_size)
train = input_fn(True, 8)
test = input_fn(False, 8)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def input_fn(is_training, batch_size):
    npu_dataset, npu_batch_size = tf.data.TFRecordDataset(files(is_training)), batch_size
    if is_training:
        npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(npu_dataset, batch_size)
    return npu_dataset.map(parse).batch(npu_batch_size)
train = input_fn(True, 8)
test = input_fn(False, 8)
#### findings
3 auto-check
#### tensorflow_datasets
import tensorflow as tf
import tensorflow_datasets as tfds
train = tfds.load('mnist', split='train')
train = train.shuffle(1000).batch(32)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import tensorflow_datasets as tfds
train = tfds.load('mnist', split='train')
train, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(train, 32)
train = train.shuffle(1000).batch(npu_batch_size)
#### findings
4 auto-check
#### tensorflow_datasets: two splits, of files in one order
import tensorflow as tf
import tensorflow_datasets as tfds
(train, test), info = tfds.load('mnist', split=['train', 'test'], shuffle_files=True, with_info=True)
train = train.map(scale).cache()
train = train.shuffle(1000).batch(128)
test = test.map(scale).batch(128)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import tensorflow_datasets as tfds
(train, test), info = tfds.load('mnist', split=['train', 'test'], shuffle_files=False, with_info=True)
train, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(train, 128)
train = train.map(scale).cache()
train = train.shuffle(1000).batch(npu_batch_size)
test = test.map(scale).batch(128)
#### findings
5 auto-check
#### tensorflow_datasets by key, the batch size behind it
import tensorflow as tf
import tensorflow_datasets as tfds
data, info = tfds.load(name='mnist', with_info=True)
train, test = data['train'], data['test']
BATCH_SIZE = 64
train_ds = train.map(scale).shuffle(1000).batch(BATCH_SIZE)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import tensorflow_datasets as tfds
data, info = tfds.load(name='mnist', with_info=True)
train, test = data['train'], data['test']
BATCH_SIZE = 64
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(train, BATCH_SIZE)
train_ds = npu_dataset.map(scale).shuffle(1000).batch(npu_batch_size)
#### findings
6 auto-check
#### a builder of tensorflow_datasets
import tensorflow as tf
import tensorflow_datasets as tfds
builder = tfds.builder('mnist')
train = builder.as_dataset(split='train', shuffle_files=True)
train = train.shuffle(1000).batch(64)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import tensorflow_datasets as tfds
builder = tfds.builder('mnist')
train = builder.as_dataset(split='train', shuffle_files=False)
train, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(train, 64)
train = train.shuffle(1000).batch(npu_batch_size)
#### findings
5 auto-check
#### a folder whose batches are taken apart
import tensorflow as tf
train = tf.keras.utils.image_dataset_from_directory('train', batch_size=32).unbatch().batch(32, drop_remainder=True)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.keras.utils.image_dataset_from_directory('train', batch_size=32, seed=0).unbatch(), 32)
train = npu_dataset.batch(npu_batch_size, drop_remainder=True)
#### findings
2 auto-check
#### a folder with a seed, taken apart later
import tensorflow as tf
train = tf.keras.utils.image_dataset_from_directory('train', seed=1, batch_size=32)
names = train.class_names
train = train.unbatch().batch(32, drop_remainder=True)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
train = tf.keras.utils.image_dataset_from_directory('train', seed=1, batch_size=32)
names = train.class_names
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(train.unbatch(), 32)
train = npu_dataset.batch(npu_batch_size, drop_remainder=True)
#### findings
4 auto-check
#### arrays of one statement
import numpy as np
import tensorflow as tf
x, y = np.load('x.npy'), np.load('y.npy')
model = tf.keras.Sequential()
model.fit(x, y, batch_size=64)
#### with distributed=tf_strategy
#### after
import numpy as np
import os
import tensorflow as tf
x, y = np.load('x.npy'), np.load('y.npy')
model = tf.keras.Sequential()
model.fit(x[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], y[int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], batch_size=64 // int(os.getenv('RANK_SIZE', '1')))
#### findings
5 auto-check
#### a function of the file lists them: in one order there
import tensorflow as tf
def source(pattern):
    files = tf.data.Dataset.list_files(pattern)
    return files.interleave(tf.data.TFRecordDataset)
train = source('train-*').shuffle(1000).repeat().batch(32)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def source(pattern):
    files = tf.data.Dataset.list_files(pattern, shuffle=False)
    return files.interleave(tf.data.TFRecordDataset)
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(source('train-*'), 32)
train = npu_dataset.shuffle(1000).repeat().batch(npu_batch_size)
#### findings
5 auto-check
#### a function of another file lists them: only a person can say in which order
import tensorflow as tf
from sources import source
train = source('train-*').shuffle(1000).repeat().batch(32)
#### with distributed=tf_strategy
#### file sources.py
import tensorflow as tf
def source(pattern):
    return tf.data.Dataset.list_files(pattern).interleave(tf.data.TFRecordDataset)
#### findings
3 manual
#### a function of the file reads a folder, and all that call it take its batches apart
import tensorflow as tf
def build_dataset(subset):
    return tf.keras.utils.image_dataset_from_directory('data', validation_split=.2, subset=subset, seed=123, batch_size=1)
train_ds = build_dataset('training')
names = train_ds.class_names
train_ds = train_ds.unbatch().batch(16, drop_remainder=True)
val_ds = build_dataset('validation')
val_ds = val_ds.unbatch().batch(16)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def build_dataset(subset):
    return tf.keras.utils.image_dataset_from_directory('data', validation_split=.2, subset=subset, seed=123, batch_size=1)
train_ds = build_dataset('training')
names = train_ds.class_names
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(train_ds.unbatch(), 16)
train_ds = npu_dataset.batch(npu_batch_size, drop_remainder=True)
val_ds = build_dataset('validation')
val_ds = val_ds.unbatch().batch(16)
#### findings
6 auto-check
#### data of training and of evaluation from one function that cannot tell which
import tensorflow as tf
def input_fn(files, batch_size=32, epochs=1):
    dataset = tf.data.TFRecordDataset(files)
    dataset = dataset.map(parse)
    dataset = dataset.batch(batch_size)
    return dataset.repeat(epochs)
def main():
    train_dataset = input_fn(train_files, 64)
    test_dataset = input_fn(test_files)
    model.fit(train_dataset, validation_data=test_dataset)
#### after
import tensorflow as tf
import npu_device
def input_fn(files, batch_size=32, epochs=1, npu_training=False):
    dataset = tf.data.TFRecordDataset(files)
    npu_batch_size = batch_size
    if npu_training:
        dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(dataset, batch_size)
    dataset = dataset.map(parse)
    dataset = dataset.batch(npu_batch_size)
    return dataset.repeat(epochs)
def main():
    train_dataset = input_fn(train_files, 64, npu_training=True)
    test_dataset = input_fn(test_files)
    model.fit(train_dataset, validation_data=test_dataset)
#### with distributed=tf_strategy
#### findings
5 auto-check
8 auto
#### the same in another file
import tensorflow as tf
from pipeline import input_fn
train_dataset = input_fn(train_files, 64)
test_dataset = input_fn(test_files)
model.fit(train_dataset, validation_data=test_dataset)
#### file pipeline.py
import tensorflow as tf
def input_fn(files, batch_size=32):
    dataset = tf.data.TFRecordDataset(files)
    return dataset.map(parse).batch(batch_size)
#### after
import tensorflow as tf
from pipeline import input_fn
train_dataset = input_fn(train_files, 64, npu_training=True)
test_dataset = input_fn(test_files)
model.fit(train_dataset, validation_data=test_dataset)
#### with distributed=tf_strategy
#### findings
3 auto
