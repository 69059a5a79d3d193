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
