#### Horovod in eager mode, as in its own example
import tensorflow as tf
import horovod.tensorflow as hvd

hvd.init()
gpus = tf.config.experimental.list_physical_devices('GPU')
for gpu in gpus:
    tf.config.experimental.set_memory_growth(gpu, True)
if gpus:
    tf.config.experimental.set_visible_devices(gpus[hvd.local_rank()], 'GPU')
dataset = tf.data.TFRecordDataset('train').map(parse).shard(hvd.size(), hvd.rank())
dataset = dataset.repeat().shuffle(10000).batch(128)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
opt = tf.optimizers.Adam(0.001 * hvd.size())
checkpoint = tf.train.Checkpoint(model=model, optimizer=opt)


@tf.function
def training_step(x, y, first_batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    tape = hvd.DistributedGradientTape(tape)
    grads = tape.gradient(loss, model.trainable_variables)
    opt.apply_gradients(zip(grads, model.trainable_variables))
    if first_batch:
        hvd.broadcast_variables(model.variables, root_rank=0)
        hvd.broadcast_variables(opt.variables(), root_rank=0)
    return loss


for batch, (x, y) in enumerate(dataset.take(10000 // hvd.size())):
    loss = training_step(x, y, batch == 0)
    if batch % 10 == 0 and hvd.local_rank() == 0:
        print(batch, hvd.allreduce(loss))
if hvd.rank() == 0:
    checkpoint.save('checkpoints')
#### after
import os
import tensorflow as tf
import npu_device

npu_device.open().as_default()

dataset = tf.data.TFRecordDataset('train').map(parse).shard(int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))
dataset = dataset.repeat().shuffle(10000).batch(128, drop_remainder=True)
model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
opt = tf.optimizers.Adam(0.001 * int(os.getenv('RANK_SIZE', '1')))
checkpoint = tf.train.Checkpoint(model=model, optimizer=opt)


@tf.function
def training_step(x, y, first_batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((model(x) - y) ** 2)
    grads = npu_device.distribute.all_reduce(tape.gradient(loss, model.trainable_variables), 'mean')
    opt.apply_gradients(zip(grads, model.trainable_variables))
    if first_batch:
        npu_device.distribute.broadcast(model.variables, root_rank=0)
        npu_device.distribute.broadcast(opt.variables(), root_rank=0)
    return loss


for batch, (x, y) in enumerate(dataset.take(10000 // int(os.getenv('RANK_SIZE', '1')))):
    loss = training_step(x, y, batch == 0)
    if batch % 10 == 0 and int(os.getenv('ASCEND_DEVICE_ID', '0')) == 0:
        print(batch, npu_device.distribute.all_reduce(loss, 'mean'))
if int(os.getenv('RANK_ID', '0')) == 0:
    checkpoint.save('checkpoints')
#### findings
2 TF2-HVD-1 auto
4 TF2-HVD-2 auto
5 TF2-INIT-1 auto
7 TF2-GPU-6 auto
9 TF2-GPU-6 auto
10 TF2-HVD-3 auto
10 TF2-HVD-3 auto
11 TF2-DATA-1 auto
13 TF2-HVD-3 auto
21 TF2-HVD-5 auto
25 TF2-HVD-6 auto
26 TF2-HVD-6 auto
30 TF2-HVD-3 auto
32 TF2-HVD-3 auto
33 TF2-HVD-8 auto
34 TF2-HVD-3 auto
#### Horovod with Keras
import tensorflow as tf
import horovod.tensorflow.keras as hvd

hvd.init()
dataset = tf.data.TFRecordDataset('train').map(parse).shard(hvd.size(), hvd.rank())
dataset = dataset.repeat().shuffle(10000).batch(128)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
opt = hvd.DistributedOptimizer(tf.keras.optimizers.Adam(0.001 * hvd.size()))
model.compile(loss='mse', optimizer=opt)
callbacks = [
    hvd.callbacks.BroadcastGlobalVariablesCallback(0),
    hvd.callbacks.MetricAverageCallback(),
    hvd.callbacks.LearningRateWarmupCallback(initial_lr=0.001, warmup_epochs=3),
]
model.fit(dataset, steps_per_epoch=500 // hvd.size(), callbacks=callbacks, epochs=24)
#### after
import os
import tensorflow as tf
import npu_device

npu_device.open().as_default()

dataset = tf.data.TFRecordDataset('train').map(parse).shard(int(os.getenv('RANK_SIZE', '1')), int(os.getenv('RANK_ID', '0')))
dataset = dataset.repeat().shuffle(10000).batch(128, drop_remainder=True)
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
opt = npu_device.distribute.npu_distributed_keras_optimizer_wrapper(tf.keras.optimizers.Adam(0.001 * int(os.getenv('RANK_SIZE', '1'))))
model.compile(loss='mse', optimizer=opt)
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


def npu_average_callback():
    """Callback that averages the metrics of each epoch over the ranks."""
    class Average(tf.keras.callbacks.Callback):
        def on_epoch_end(self, epoch, logs=None):
            for name, value in sorted((logs or dict()).items()):
                value = tf.constant(float(value), tf.float32)
                logs[name] = float(npu_device.distribute.all_reduce(value, 'mean'))

    return Average()


def npu_warmup_callback(initial_lr, warmup_epochs=5, steps_per_epoch=None):
    """Callback that raises the learning rate from that of one device to that of all ranks."""
    class Warmup(tf.keras.callbacks.Callback):
        epoch = 0

        def on_epoch_begin(self, epoch, logs=None):
            self.epoch = epoch

        def on_train_batch_begin(self, batch, logs=None):
            if self.epoch < warmup_epochs:
                steps, ranks = steps_per_epoch or self.params['steps'], int(os.getenv('RANK_SIZE', '1'))
                done = (self.epoch + (batch + 1) / steps) / warmup_epochs
                rate = initial_lr / ranks * (done * (ranks - 1) + 1)
                tf.keras.backend.set_value(self.model.optimizer.lr, rate)

    return Warmup()


callbacks = [
    npu_broadcast_callback(),
    npu_average_callback(),
    npu_warmup_callback(initial_lr=0.001, warmup_epochs=3),
]
model.fit(dataset, steps_per_epoch=500 // int(os.getenv('RANK_SIZE', '1')), callbacks=callbacks, epochs=24)
#### findings
2 TF2-HVD-1 auto
4 TF2-HVD-2 auto
5 TF2-INIT-1 auto
5 TF2-HVD-3 auto
5 TF2-HVD-3 auto
6 TF2-DATA-1 auto
8 TF2-HVD-4 auto
8 TF2-HVD-3 auto
11 TF2-HVD-6 auto
12 TF2-HVD-12 auto
13 TF2-HVD-12 auto-check
15 TF2-HVD-3 auto
#### Horovod with sessions of compat.v1: joined first, then switched on
import tensorflow as tf
import horovod.tensorflow as hvd

tf.compat.v1.disable_eager_execution()
hvd.init()
config = tf.compat.v1.ConfigProto()
config.gpu_options.visible_device_list = str(hvd.local_rank())
loss = tf.compat.v1.losses.mean_squared_error(labels, network(images))
opt = tf.compat.v1.train.AdagradOptimizer(0.01 * hvd.size())
opt = hvd.DistributedOptimizer(opt)
hooks = [hvd.BroadcastGlobalVariablesHook(0)]
train_op = opt.minimize(loss)
checkpoint_dir = '/tmp/train_logs' if hvd.rank() == 0 else None
with tf.compat.v1.train.MonitoredTrainingSession(
        checkpoint_dir=checkpoint_dir, config=config, hooks=hooks) as mon_sess:
    while not mon_sess.should_stop():
        mon_sess.run(train_op)
#### after
import atexit
import os
import tensorflow as tf
import npu_device
from hccl.manage.api import get_rank_id, get_rank_size
from npu_device.compat.v1.npu_init import (
    NPUBroadcastGlobalVariablesHook, close_session, init_resource, npu_config_proto,
    npu_distributed_optimizer_wrapper, shutdown_resource)

tf.compat.v1.disable_eager_execution()
npu_sess, npu_shutdown = init_resource()
atexit.register(close_session, npu_sess)
atexit.register(shutdown_resource, npu_sess, npu_shutdown)
npu_device.compat.enable_v1()
config = tf.compat.v1.ConfigProto()
loss = tf.compat.v1.losses.mean_squared_error(labels, network(images))
opt = tf.compat.v1.train.AdagradOptimizer(0.01 * get_rank_size())
opt = npu_distributed_optimizer_wrapper(opt)
hooks = [NPUBroadcastGlobalVariablesHook(0, int(os.getenv('RANK_ID', '0')))]
train_op = opt.minimize(loss)
checkpoint_dir = '/tmp/train_logs' if get_rank_id() == 0 else None
with tf.compat.v1.train.MonitoredTrainingSession(
        checkpoint_dir=checkpoint_dir, config=npu_config_proto(config_proto=config), hooks=hooks) as mon_sess:
    while not mon_sess.should_stop():
        mon_sess.run(train_op)
#### findings
2 TF1-HVD-1 auto
5 TF1-HVD-2 auto-check
5 TF2-V1-1 auto
7 TF1-HVD-10 auto
9 TF1-HVD-3 auto
10 TF1-HVD-4 auto
11 TF1-HVD-5 auto-check
13 TF1-HVD-3 auto
14 TF1-SESS-1 auto
