#### mirrored training with fit(): default strategy, wrapped optimizer, broadcast, divided data
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    model.compile('sgd', 'mse')
train = tf.data.TFRecordDataset('train').map(parse).shuffle(100).repeat().batch(64)
model.fit(train, epochs=2, steps_per_epoch=100)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

strategy = tf.distribute.get_strategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.data.TFRecordDataset('train'), 64)
train = npu_dataset.map(parse).shuffle(100).repeat().batch(npu_batch_size, drop_remainder=True)
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(train, epochs=2, steps_per_epoch=100)
#### findings
3 TF2-INIT-1 auto
3 TF2-DIST-1 auto-check
6 TF2-DIST-2 auto
7 TF2-DATA-1 auto
7 TF2-DIST-6 auto
8 TF2-DIST-5 auto
#### several machines
import json
import os
import tensorflow as tf

os.environ['TF_CONFIG'] = json.dumps({'cluster': {'worker': ['a:1', 'b:1']}, 'task': {'type': 'worker', 'index': 0}})
resolver = tf.distribute.cluster_resolver.TFConfigClusterResolver()
strategy = tf.distribute.experimental.MultiWorkerMirroredStrategy(cluster_resolver=resolver)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    model.compile(tf.keras.optimizers.Adam(0.1), 'mse')
#### after
import json
import os
import tensorflow as tf
import npu_device

npu_device.open().as_default()
strategy = tf.distribute.get_strategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper(tf.keras.optimizers.Adam(0.1)), 'mse')
#### findings
5 TF2-DIST-7 auto
6 TF2-INIT-1 auto
6 TF2-DIST-1 auto
7 TF2-DIST-1 auto-check
10 TF2-DIST-2 auto
#### variables in the memory of the host
import tensorflow as tf

strategy = tf.distribute.experimental.CentralStorageStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

strategy = tf.distribute.get_strategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
#### findings
3 TF2-INIT-1 auto
3 TF2-DIST-1 auto-check
#### one GPU
import tensorflow as tf

strategy = tf.distribute.OneDeviceStrategy('/gpu:0')
with strategy.scope():
    print(tf.Variable(1.0))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

strategy = tf.distribute.get_strategy()
with strategy.scope():
    print(tf.Variable(1.0))
#### findings
3 TF2-INIT-1 auto
3 TF2-DIST-1 auto
#### a loop of its own: step, reduced gradients, metric
import tensorflow as tf

GLOBAL_BATCH = 64
strategy = tf.distribute.MirroredStrategy()
train = tf.data.TFRecordDataset('train').map(parse).shuffle(100).batch(GLOBAL_BATCH)
train = strategy.experimental_distribute_dataset(train)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    optimizer = tf.keras.optimizers.SGD(0.1)
    loss_object = tf.keras.losses.MeanSquaredError(reduction='none')


def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.nn.compute_average_loss(loss_object(y, model(x)), global_batch_size=GLOBAL_BATCH)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


@tf.function
def train_step(x, y):
    losses = strategy.run(step, args=(x, y))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


for x, y in train:
    print(train_step(x, y))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

GLOBAL_BATCH = 64
strategy = tf.distribute.get_strategy()
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.data.TFRecordDataset('train'), GLOBAL_BATCH)
train = npu_dataset.map(parse).shuffle(100).batch(npu_batch_size, drop_remainder=True)
train = strategy.experimental_distribute_dataset(train)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    optimizer = tf.keras.optimizers.SGD(0.1)
    loss_object = tf.keras.losses.MeanSquaredError(reduction='none')


def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.nn.compute_average_loss(loss_object(y, model(x)), global_batch_size=GLOBAL_BATCH)
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'sum')
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


@tf.function
def train_step(x, y):
    losses = strategy.run(step, args=(x, y))
    return npu_device.distribute.all_reduce(strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None), 'sum')


npu_device.distribute.broadcast(model.variables, root_rank=0)
for x, y in train:
    print(train_step(x, y))
#### findings
4 TF2-INIT-1 auto
4 TF2-DIST-1 auto-check
5 TF2-DIST-6 auto-check
5 TF2-DATA-1 auto
16 TF2-DIST-3 auto
16 TF2-DIST-5 auto
24 TF2-DIST-4 auto
#### a mean of losses, the older name of run(), and clipping
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    optimizer = tf.keras.optimizers.SGD(0.1)
train = tf.data.TFRecordDataset('train').map(parse).shuffle(100).repeat().batch(64)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    grads, _ = tf.clip_by_global_norm(grads, 1.0)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


for x, y in train:
    strategy.experimental_run_v2(step, args=(x, y))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

strategy = tf.distribute.get_strategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    optimizer = tf.keras.optimizers.SGD(0.1)
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.data.TFRecordDataset('train'), 64)
train = npu_dataset.map(parse).shuffle(100).repeat().batch(npu_batch_size, drop_remainder=True)


@tf.function
def step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'mean')
    grads, _ = tf.clip_by_global_norm(grads, 1.0)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


npu_device.distribute.broadcast(model.variables, root_rank=0)
for x, y in train:
    strategy.run(step, args=(x, y))
#### findings
3 TF2-INIT-1 auto
3 TF2-DIST-1 auto-check
7 TF2-DATA-1 auto
7 TF2-DIST-6 auto
14 TF2-DIST-3 auto
14 TF2-DIST-5 auto
20 TF2-API-5 auto
#### a dataset from a function
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()


def dataset_fn(context):
    batch = context.get_per_replica_batch_size(64)
    dataset = tf.data.TFRecordDataset('train').map(parse)
    if context.num_input_pipelines > 1:
        dataset = dataset.shard(context.num_input_pipelines, context.input_pipeline_id)
    return dataset.shuffle(100).repeat().batch(batch)


train = strategy.distribute_datasets_from_function(dataset_fn)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    model.compile('sgd', 'mse')
model.fit(train, steps_per_epoch=100)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

strategy = tf.distribute.get_strategy()


def dataset_fn(context):
    batch = context.get_per_replica_batch_size(64)
    dataset = tf.data.TFRecordDataset('train').map(parse)
    dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(dataset, batch)
    if context.num_input_pipelines > 1:
        dataset = dataset.shard(context.num_input_pipelines, context.input_pipeline_id)
    return dataset.shuffle(100).repeat().batch(npu_batch_size, drop_remainder=True)


train = strategy.distribute_datasets_from_function(dataset_fn)
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(train, steps_per_epoch=100)
#### findings
3 TF2-INIT-1 auto
3 TF2-DIST-1 auto-check
11 TF2-DATA-1 auto
11 TF2-DIST-6 auto
17 TF2-DIST-2 auto
18 TF2-DIST-5 auto
#### parameter servers
import tensorflow as tf

strategy = tf.distribute.experimental.ParameterServerStrategy(resolver)
#### findings
3 TF2-DIST-1 blocker
#### TPUs
import tensorflow as tf

strategy = tf.distribute.TPUStrategy(resolver)
#### findings
3 TF2-DIST-1 blocker
#### the batch of all devices
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
batch = 32 * strategy.num_replicas_in_sync
#### after
import tensorflow as tf

strategy = tf.distribute.get_strategy()
batch = 32 * strategy.num_replicas_in_sync
#### findings
3 TF2-DIST-1 auto-check
#### optimizers by class, by name and under a loss scale
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile('adam', 'mse')
model.compile(optimizer=tf.keras.optimizers.SGD(0.1), loss='mse')
model.compile(tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1)), 'mse')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('adam'), 'mse')
model.compile(optimizer=npu_device.distribute.npu_distributed_keras_optimizer_wrapper(tf.keras.optimizers.SGD(0.1)), loss='mse')
model.compile(npu_device.train.optimizer.NpuLossScaleOptimizer(npu_device.distribute.npu_distributed_keras_optimizer_wrapper(tf.keras.optimizers.SGD(0.1))), 'mse')
#### findings
3 TF2-INIT-1 auto
4 TF2-DIST-2 auto
5 TF2-DIST-2 auto
6 TF2-LS-1 auto
6 TF2-DIST-2 auto
#### an optimizer of an addon
import tensorflow as tf
import tensorflow_addons as tfa

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile(tfa.optimizers.LAMB(0.1), 'mse')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import tensorflow_addons as tfa

npu_device.open().as_default()

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile(tfa.optimizers.LAMB(0.1), 'mse')
#### findings
2 TF2-API-4 info
4 TF2-INIT-1 auto
5 TF2-DIST-2 manual
#### a model that is built by its first step
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.dense(x)


model = Net()
model.compile('adam', 'mse')
train = tf.data.TFRecordDataset('train').map(parse).shuffle(100).repeat().batch(64)
model.fit(train, steps_per_epoch=100)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()


def npu_broadcast_callback():
    """Callback that gives every rank the variables of rank 0 as soon as they exist."""
    class Broadcast(tf.keras.callbacks.Callback):
        done = False

        def on_train_batch_begin(self, batch, logs=None):
            if self.model.built and not self.done:
                self.done = True
                npu_device.distribute.broadcast(self.model.variables, root_rank=0)
                if self.model.optimizer.variables():
                    npu_device.distribute.broadcast(self.model.optimizer.variables(), root_rank=0)

        on_train_batch_end = on_train_batch_begin

    return Broadcast()


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.dense(x)


model = Net()
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('adam'), 'mse')
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.data.TFRecordDataset('train'), 64)
train = npu_dataset.map(parse).shuffle(100).repeat().batch(npu_batch_size, drop_remainder=True)
model.fit(train, steps_per_epoch=100, callbacks=[npu_broadcast_callback()])
#### findings
13 TF2-INIT-1 auto
14 TF2-DIST-2 auto
15 TF2-DATA-1 auto
15 TF2-DIST-6 auto
16 TF2-DIST-5 auto-check
#### the callback of the vendor, which never broadcasts
import tensorflow as tf
import npu_device
from npu_device.distribute.npu_callbacks import NPUBroadcastGlobalVariablesCallback

npu_device.open().as_default()
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
model.fit(data, callbacks=[NPUBroadcastGlobalVariablesCallback(0)])
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
from npu_device.distribute.npu_callbacks import NPUBroadcastGlobalVariablesCallback

npu_device.open().as_default()
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(data, callbacks=[NPUBroadcastGlobalVariablesCallback(0)])
#### findings
8 TF2-DIST-5 auto
8 TF2-DIST-8 manual
#### arrays: a slice for each rank
import numpy as np
import tensorflow as tf

x, y = np.load('x.npy'), np.load('y.npy')
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile('sgd', 'mse')
model.fit(x, y, batch_size=64)
#### with distributed=tf_strategy
#### after
import numpy as np
import os
import tensorflow as tf
import npu_device

npu_device.open().as_default()

x, y = np.load('x.npy'), np.load('y.npy')
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(x[:len(x) // 64 * 64 or None][int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], y[:len(x) // 64 * 64 or None][int(os.getenv('RANK_ID', '0'))::int(os.getenv('RANK_SIZE', '1'))], batch_size=64 // int(os.getenv('RANK_SIZE', '1')))
#### findings
5 TF2-INIT-1 auto
6 TF2-DIST-2 auto
7 TF2-DIST-6 auto-check
7 TF2-DATA-3 auto
7 TF2-DIST-5 auto
#### checkpoints, TensorBoard and event files of rank 0
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile('sgd', 'mse')
train = tf.data.TFRecordDataset('train').map(parse).shuffle(100).repeat().batch(64)
model.fit(train, steps_per_epoch=100, callbacks=[tf.keras.callbacks.ModelCheckpoint('ckpt')])
model.save_weights('weights')
#### with distributed=tf_strategy
#### after
import os
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.data.TFRecordDataset('train'), 64)
train = npu_dataset.map(parse).shuffle(100).repeat().batch(npu_batch_size, drop_remainder=True)
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(train, steps_per_epoch=100, callbacks=[*([tf.keras.callbacks.ModelCheckpoint('ckpt')] if int(os.getenv('RANK_ID', '0')) == 0 else [])])
if int(os.getenv('RANK_ID', '0')) == 0:
    model.save_weights('weights')
#### findings
3 TF2-INIT-1 auto
4 TF2-DIST-2 auto
5 TF2-DATA-1 auto
5 TF2-DIST-6 auto
6 TF2-DIST-5 auto
6 TF2-CKPT-1 auto
7 TF2-CKPT-1 auto
#### data for training and evaluation: a switch decides who is divided
import tensorflow as tf


def input_fn(is_training, data_dir, batch_size):
    dataset = tf.data.Dataset.list_files(data_dir)
    if is_training:
        dataset = dataset.shuffle(100)
    dataset = dataset.interleave(tf.data.TFRecordDataset)
    if is_training:
        dataset = dataset.shuffle(1000).repeat()
    return dataset.map(parse).batch(batch_size, drop_remainder=is_training)


model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile('sgd', 'mse')
model.fit(input_fn(True, 'train', 64), steps_per_epoch=100, validation_data=input_fn(False, 'val', 64))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()


def input_fn(is_training, data_dir, batch_size):
    dataset = tf.data.Dataset.list_files(data_dir, shuffle=False)
    npu_batch_size = batch_size
    if is_training:
        dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(dataset, batch_size)
    if is_training:
        dataset = dataset.shuffle(100)
    dataset = dataset.interleave(tf.data.TFRecordDataset)
    if is_training:
        dataset = dataset.shuffle(1000).repeat()
    return dataset.map(parse).batch(npu_batch_size, drop_remainder=is_training)


model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(input_fn(True, 'train', 64), steps_per_epoch=100, validation_data=input_fn(False, 'val', 64))
#### findings
11 TF2-DIST-6 auto-check
14 TF2-INIT-1 auto
15 TF2-DIST-2 auto
16 TF2-DIST-5 auto
#### data for training and evaluation: a mode decides
import tensorflow as tf


def input_fn(mode, batch_size=64):
    dataset = tf.data.TFRecordDataset(mode + '.tfrecord')
    if mode == 'train':
        dataset = dataset.shuffle(1000).repeat()
    return dataset.map(parse).batch(batch_size)


model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile('sgd', 'mse')
model.fit(input_fn('train'), steps_per_epoch=100, validation_data=input_fn('val'))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()


def input_fn(mode, batch_size=64):
    dataset = tf.data.TFRecordDataset(mode + '.tfrecord')
    npu_batch_size = batch_size
    if mode == 'train':
        dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(dataset, batch_size)
    if mode == 'train':
        dataset = dataset.shuffle(1000).repeat()
    return dataset.map(parse).batch(npu_batch_size, drop_remainder=mode == 'train')


model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(input_fn('train'), steps_per_epoch=100, validation_data=input_fn('val'))
#### findings
8 TF2-DIST-6 auto-check
8 TF2-DATA-1 auto
11 TF2-INIT-1 auto
12 TF2-DIST-2 auto
13 TF2-DIST-5 auto
#### a split of tensorflow_datasets
import tensorflow as tf
import tensorflow_datasets as tfds

train, info = tfds.load('mnist', split='train', as_supervised=True, with_info=True)
train = train.map(scale).shuffle(1000).repeat().batch(128)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile('sgd', 'mse')
model.fit(train, epochs=2, steps_per_epoch=400)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import tensorflow_datasets as tfds

npu_device.open().as_default()

train, info = tfds.load('mnist', split='train', as_supervised=True, with_info=True)
train, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(train, 128)
train = train.map(scale).shuffle(1000).repeat().batch(npu_batch_size, drop_remainder=True)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(train, epochs=2, steps_per_epoch=400)
#### findings
5 TF2-DATA-1 auto
5 TF2-DIST-6 auto
6 TF2-INIT-1 auto
7 TF2-DIST-2 auto
8 TF2-DIST-5 auto
#### two splits of tensorflow_datasets, of files in one order
import tensorflow as tf
import tensorflow_datasets as tfds

(ds_train, ds_test), ds_info = tfds.load(
    'mnist', split=['train', 'test'], shuffle_files=True, as_supervised=True, with_info=True)
ds_train = ds_train.map(normalize, num_parallel_calls=tf.data.AUTOTUNE)
ds_train = ds_train.cache()
ds_train = ds_train.shuffle(ds_info.splits['train'].num_examples)
ds_train = ds_train.batch(128)
ds_train = ds_train.prefetch(tf.data.AUTOTUNE)
ds_test = ds_test.map(normalize).batch(128).cache()
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile('sgd', 'mse')
model.fit(ds_train, epochs=6, validation_data=ds_test)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import tensorflow_datasets as tfds

npu_device.open().as_default()

(ds_train, ds_test), ds_info = tfds.load(
    'mnist', split=['train', 'test'], shuffle_files=False, as_supervised=True, with_info=True)
ds_train, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(ds_train, 128)
ds_train = ds_train.map(normalize, num_parallel_calls=tf.data.AUTOTUNE)
ds_train = ds_train.cache()
ds_train = ds_train.shuffle(ds_info.splits['train'].num_examples)
ds_train = ds_train.batch(npu_batch_size, drop_remainder=True)
ds_train = ds_train.prefetch(tf.data.AUTOTUNE)
ds_test = ds_test.map(normalize).batch(128).cache()
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(ds_train, epochs=6, validation_data=ds_test)
#### findings
9 TF2-DIST-6 auto-check
9 TF2-DATA-1 auto
11 TF2-DATA-1 info
12 TF2-INIT-1 auto
13 TF2-DIST-2 auto
14 TF2-DIST-5 auto
#### splits of tensorflow_datasets by key
import tensorflow as tf
import tensorflow_datasets as tfds

datasets, info = tfds.load(name='mnist', with_info=True, as_supervised=True)
mnist_train, mnist_test = datasets['train'], datasets['test']
BUFFER_SIZE = 10000
BATCH_SIZE = 64
train_dataset = mnist_train.map(scale).cache().shuffle(BUFFER_SIZE).batch(BATCH_SIZE)
eval_dataset = mnist_test.map(scale).batch(BATCH_SIZE)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile('sgd', 'mse')
model.fit(train_dataset, epochs=12)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import tensorflow_datasets as tfds

npu_device.open().as_default()

datasets, info = tfds.load(name='mnist', with_info=True, as_supervised=True)
mnist_train, mnist_test = datasets['train'], datasets['test']
BUFFER_SIZE = 10000
BATCH_SIZE = 64
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(mnist_train, BATCH_SIZE)
train_dataset = npu_dataset.map(scale).cache().shuffle(BUFFER_SIZE).batch(npu_batch_size, drop_remainder=True)
eval_dataset = mnist_test.map(scale).batch(BATCH_SIZE)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(train_dataset, epochs=12)
#### findings
8 TF2-DIST-6 auto-check
8 TF2-DATA-1 auto
9 TF2-DATA-1 info
10 TF2-INIT-1 auto
11 TF2-DIST-2 auto
12 TF2-DIST-5 auto
#### a split of tensorflow_datasets in a chain
import tensorflow as tf
import tensorflow_datasets as tfds

data = tfds.load('mnist', as_supervised=True)
train = data['train'].shuffle(1000).batch(64)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile('sgd', 'mse')
model.fit(train, epochs=12)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import tensorflow_datasets as tfds

npu_device.open().as_default()

data = tfds.load('mnist', as_supervised=True)
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(data['train'], 64)
train = npu_dataset.shuffle(1000).batch(npu_batch_size, drop_remainder=True)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(train, epochs=12)
#### findings
5 TF2-DIST-6 auto-check
5 TF2-DATA-1 auto
6 TF2-INIT-1 auto
7 TF2-DIST-2 auto
8 TF2-DIST-5 auto
#### batches that tensorflow_datasets makes
import tensorflow as tf
import tensorflow_datasets as tfds

train = tfds.load('mnist', split='train', batch_size=64, as_supervised=True)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile('sgd', 'mse')
model.fit(train, epochs=12)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import tensorflow_datasets as tfds

npu_device.open().as_default()

npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tfds.load('mnist', split='train', as_supervised=True), 64)
train = npu_dataset.batch(npu_batch_size, drop_remainder=True)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(train, epochs=12)
#### findings
4 TF2-DIST-6 auto-check
4 TF2-DATA-4 auto
5 TF2-INIT-1 auto
6 TF2-DIST-2 auto
7 TF2-DIST-5 auto
#### a builder of tensorflow_datasets
import tensorflow as tf
import tensorflow_datasets as tfds

builder = tfds.builder('mnist')
builder.download_and_prepare()
train = builder.as_dataset(split='train', as_supervised=True, shuffle_files=True)
train = train.shuffle(1000).batch(64)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile('sgd', 'mse')
model.fit(train, epochs=12)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import tensorflow_datasets as tfds

npu_device.open().as_default()

builder = tfds.builder('mnist')
builder.download_and_prepare()
train = builder.as_dataset(split='train', as_supervised=True, shuffle_files=False)
train, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(train, 64)
train = train.shuffle(1000).batch(npu_batch_size, drop_remainder=True)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(28, 28, 1))])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(train, epochs=12)
#### findings
7 TF2-DIST-6 auto-check
7 TF2-DATA-1 auto
8 TF2-INIT-1 auto
9 TF2-DIST-2 auto
10 TF2-DIST-5 auto
#### pictures of a folder, whose classes are requested
import tensorflow as tf

train_ds = tf.keras.utils.image_dataset_from_directory('flowers', validation_split=0.2, subset='training', seed=123, image_size=(180, 180), batch_size=32)
val_ds = tf.keras.utils.image_dataset_from_directory('flowers', validation_split=0.2, subset='validation', seed=123, image_size=(180, 180), batch_size=32)
class_names = train_ds.class_names
train_ds = train_ds.cache().shuffle(1000).prefetch(buffer_size=tf.data.AUTOTUNE)
model = tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(180, 180, 3)), tf.keras.layers.Dense(5)])
model.compile('sgd', 'mse')
model.fit(train_ds, validation_data=val_ds, epochs=10)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

train_ds = tf.keras.utils.image_dataset_from_directory('flowers', validation_split=0.2, subset='training', seed=123, image_size=(180, 180), batch_size=32)
val_ds = tf.keras.utils.image_dataset_from_directory('flowers', validation_split=0.2, subset='validation', seed=123, image_size=(180, 180), batch_size=32)
class_names = train_ds.class_names
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(train_ds.unbatch(), 32)
train_ds = npu_dataset.batch(npu_batch_size, drop_remainder=True)
train_ds = train_ds.cache().shuffle(1000).prefetch(buffer_size=tf.data.AUTOTUNE)
model = tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(180, 180, 3)), tf.keras.layers.Dense(5)])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(train_ds, validation_data=val_ds, epochs=10)
#### findings
3 TF2-INIT-1 auto
3 TF2-DATA-4 auto
4 TF2-DATA-4 info
5 TF2-DIST-6 auto-check
8 TF2-DIST-2 auto
9 TF2-DIST-5 auto
#### pictures of a folder, in one order on all ranks
import tensorflow as tf

train_ds = tf.keras.preprocessing.image_dataset_from_directory('flowers/train', image_size=(180, 180), batch_size=32)
model = tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(180, 180, 3)), tf.keras.layers.Dense(5)])
model.compile('sgd', 'mse')
model.fit(train_ds, epochs=10)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.keras.preprocessing.image_dataset_from_directory('flowers/train', image_size=(180, 180), batch_size=32, seed=0).unbatch(), 32)
train_ds = npu_dataset.batch(npu_batch_size, drop_remainder=True)
model = tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(180, 180, 3)), tf.keras.layers.Dense(5)])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(train_ds, epochs=10)
#### findings
3 TF2-INIT-1 auto
3 TF2-DATA-4 auto-check
3 TF2-DIST-6 auto-check
5 TF2-DIST-2 auto
6 TF2-DIST-5 auto
#### a generator of pictures is named
import tensorflow as tf
from tensorflow.keras.preprocessing.image import ImageDataGenerator

datagen = ImageDataGenerator(rescale=1 / 255.)
train_gen = datagen.flow_from_directory('train', target_size=(64, 64), batch_size=32, class_mode='categorical')
model = tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(64, 64, 3)), tf.keras.layers.Dense(5)])
model.compile('sgd', 'mse')
model.fit(train_gen, steps_per_epoch=train_gen.samples // 32, epochs=10)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
from tensorflow.keras.preprocessing.image import ImageDataGenerator

npu_device.open().as_default()

datagen = ImageDataGenerator(rescale=1 / 255.)
train_gen = datagen.flow_from_directory('train', target_size=(64, 64), batch_size=32, class_mode='categorical')
model = tf.keras.Sequential([tf.keras.layers.Flatten(input_shape=(64, 64, 3)), tf.keras.layers.Dense(5)])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(train_gen, steps_per_epoch=train_gen.samples // 32, epochs=10)
#### findings
4 TF2-INIT-1 auto
5 TF2-DATA-4 manual
5 TF2-DIST-6 manual
7 TF2-DIST-2 auto
8 TF2-DIST-5 auto
#### a loop of its own, and a model that its first step builds
import tensorflow as tf


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.dense(x)


model = Net()
optimizer = tf.keras.optimizers.Adam()
train = tf.data.TFRecordDataset('train').map(parse).shuffle(100).batch(64)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    grads = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


for epoch in range(3):
    for x, y in train:
        loss = train_step(x, y)
    print(epoch, loss)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()


class Net(tf.keras.Model):
    def __init__(self):
        super().__init__()
        self.dense = tf.keras.layers.Dense(1)

    def call(self, x):
        return self.dense(x)


model = Net()
optimizer = tf.keras.optimizers.Adam()
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.data.TFRecordDataset('train'), 64)
train = npu_dataset.map(parse).shuffle(100).batch(npu_batch_size, drop_remainder=True)


@tf.function
def train_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x, training=True) - y) ** 2)
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'mean')
    optimizer.apply_gradients(zip(grads, model.trainable_variables))
    return loss


npu_model_is_broadcast = False
for epoch in range(3):
    for x, y in train:
        if not npu_model_is_broadcast:
            train_step.get_concrete_function(x, y)
            npu_device.distribute.broadcast(model.variables, root_rank=0)
            npu_model_is_broadcast = True
        loss = train_step(x, y)
    print(epoch, loss)
#### findings
13 TF2-INIT-1 auto
15 TF2-DIST-6 auto-check
15 TF2-DATA-1 auto
22 TF2-DIST-3 auto
22 TF2-DIST-5 auto
#### comma-separated values are named
import tensorflow as tf

train = tf.data.experimental.make_csv_dataset('train.csv', batch_size=32, label_name='y', num_epochs=1)
model = tf.keras.Sequential([tf.keras.layers.Dense(5)])
model.compile('sgd', 'mse')
model.fit(train, epochs=10)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

train = tf.data.experimental.make_csv_dataset('train.csv', batch_size=32, label_name='y', num_epochs=1)
model = tf.keras.Sequential([tf.keras.layers.Dense(5)])
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('sgd'), 'mse')
def npu_broadcast_callback():
    """Callback that gives every rank the variables of rank 0 as soon as they exist."""
    class Broadcast(tf.keras.callbacks.Callback):
        done = False

        def on_train_batch_begin(self, batch, logs=None):
            if self.model.built and not self.done:
                self.done = True
                npu_device.distribute.broadcast(self.model.variables, root_rank=0)
                if self.model.optimizer.variables():
                    npu_device.distribute.broadcast(self.model.optimizer.variables(), root_rank=0)

        on_train_batch_end = on_train_batch_begin

    return Broadcast()


model.fit(train, epochs=10, callbacks=[npu_broadcast_callback()])
#### findings
3 TF2-INIT-1 auto
3 TF2-DATA-1 manual
3 TF2-DIST-6 manual
5 TF2-DIST-2 auto
6 TF2-DIST-5 auto-check
#### every optimizer of Keras
import tensorflow as tf

optimizers = tf.keras.optimizers
model = tf.keras.applications.ResNet50()
model.compile(optimizers.SGD(), 'mse')
model.compile(optimizers.RMSprop(), 'mse')
model.compile(optimizers.Ftrl(), 'mse')
model.compile(optimizers.Adagrad(), 'mse')
model.compile(optimizers.Adadelta(), 'mse')
model.compile(optimizer=optimizers.Adamax())
nadam = optimizers.Nadam()
nadam.minimize(loss, model.trainable_variables)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

optimizers = tf.keras.optimizers
model = tf.keras.applications.ResNet50()
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper(optimizers.SGD()), 'mse')
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper(optimizers.RMSprop()), 'mse')
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper(optimizers.Ftrl()), 'mse')
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper(optimizers.Adagrad()), 'mse')
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper(optimizers.Adadelta()), 'mse')
model.compile(optimizer=npu_device.distribute.npu_distributed_keras_optimizer_wrapper(optimizers.Adamax()))
nadam = npu_device.distribute.npu_distributed_keras_optimizer_wrapper(optimizers.Nadam())
nadam.minimize(loss, model.trainable_variables)
#### findings
4 TF2-INIT-1 auto
5 TF2-DIST-2 auto
6 TF2-DIST-2 auto
7 TF2-DIST-2 auto
8 TF2-DIST-2 auto
9 TF2-DIST-2 auto
10 TF2-DIST-2 auto
11 TF2-DIST-2 auto
#### helpers of an older port that broadcast nothing, or once for the whole process
import npu_device
import tensorflow as tf
from npu_device.distribute.hccl import npu_callbacks_append

npu_device.open().as_default()
strategy = tf.distribute.get_strategy()
with npu_device.distribute.npu_broadcast_scope_wrapper(strategy.scope()):
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
model.fit(data, callbacks=npu_callbacks_append([]))
#### findings
7 TF2-DIST-8 manual
9 TF2-DIST-8 manual
#### a model that is loaded has lost the wrapper of its optimizer
import tensorflow as tf

model = tf.keras.models.load_model('saved')
model.fit(data, epochs=2)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

model = tf.keras.models.load_model('saved')
npu_device.distribute.broadcast(model.variables, root_rank=0)
model.fit(data, epochs=2)
#### findings
3 TF2-INIT-1 auto
3 TF2-DIST-2 manual
4 TF2-DIST-5 auto
