#### get() of a dictionary is no optimizer
import tensorflow as tf

config = {'name': 'Adam'}
name = config.get('name')
print(tf.Variable(1.0).assign_add(1.0), name)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

config = {'name': 'Adam'}
name = config.get('name')
print(tf.Variable(1.0).assign_add(1.0), name)
#### findings
5 TF2-INIT-1 auto
#### an optimizer of PyTorch is not wrapped
import tensorflow as tf
import torch

optimizer = torch.optim.Adam(network.parameters())
print(tf.Variable(1.0).assign_add(1.0))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
import torch

npu_device.open().as_default()

optimizer = torch.optim.Adam(network.parameters())
print(tf.Variable(1.0).assign_add(1.0))
#### findings
5 TF2-INIT-1 auto
#### scope() of something else is not wrapped
import tensorflow as tf

with trace.scope('step'):
    print(tf.Variable(1.0).assign_add(1.0))
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

with trace.scope('step'):
    print(tf.Variable(1.0).assign_add(1.0))
#### findings
3 TF2-INIT-1 auto
#### the loss scale under names of its own
import tensorflow as tf
from tensorflow.keras.mixed_precision import LossScaleOptimizer as Scaled

optimizer = Scaled(tf.keras.optimizers.SGD(0.1))
optimizer.apply_gradients([])
#### after
import tensorflow as tf
import npu_device
from tensorflow.keras.mixed_precision import LossScaleOptimizer as Scaled

npu_device.open().as_default()

optimizer = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
optimizer.apply_gradients([])
#### findings
4 TF2-INIT-1 auto
4 TF2-LS-1 auto
#### options that are set from arguments come before open()
import argparse
import tensorflow as tf

parser = argparse.ArgumentParser()
parser.add_argument('--precision_mode', default='allow_mix_precision')
args = parser.parse_args()
print(tf.Variable(1.0).assign_add(1.0))
#### with npu.precision_mode=allow_fp32_to_fp16
#### after
import argparse
import tensorflow as tf
import npu_device
from npu_options import set_global_options

parser = argparse.ArgumentParser()
parser.add_argument('--precision_mode', default='allow_mix_precision')
args = parser.parse_args()

set_global_options()
npu_device.open().as_default()
print(tf.Variable(1.0).assign_add(1.0))
#### findings
7 TF2-INIT-1 auto
#### a program without a main function
import tensorflow as tf

print(tf.Variable(1.0).assign_add(1.0))
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

print(tf.Variable(1.0).assign_add(1.0))
#### findings
3 TF2-INIT-1 auto
#### operators at the outermost level of another module
from constants import scale
import tensorflow as tf

print(tf.Variable(1.0).assign_add(scale))
#### file constants.py
import tensorflow as tf

scale = tf.constant(2.0)
#### after
from constants import scale
import tensorflow as tf
import npu_device

npu_device.open().as_default()

print(tf.Variable(1.0).assign_add(scale))
#### findings
4 TF2-INIT-1 auto
#### a broadcast that works, in the place of the callback
import tensorflow as tf

strategy = tf.distribute.MirroredStrategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    model.compile('adam', 'mse')
model.fit(tf.data.TFRecordDataset('train').map(parse).repeat().batch(64), steps_per_epoch=100)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

strategy = tf.distribute.get_strategy()
with strategy.scope():
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
    model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('adam'), 'mse')
npu_device.distribute.broadcast(model.variables, root_rank=0)
npu_dataset, npu_batch_size = npu_device.distribute.shard_and_rebatch_dataset(tf.data.TFRecordDataset('train'), 64)
model.fit(npu_dataset.map(parse).repeat().batch(npu_batch_size, drop_remainder=True), steps_per_epoch=100)
#### findings
3 TF2-INIT-1 auto
3 TF2-DIST-1 auto-check
6 TF2-DIST-2 auto
7 TF2-DIST-5 auto
7 TF2-DATA-1 auto
7 TF2-DIST-6 auto
#### Horovod in eager mode is migrated
import tensorflow as tf
import horovod.tensorflow as hvd

hvd.init()
print(tf.Variable(1.0).assign_add(float(hvd.rank())))
#### after
import os
import tensorflow as tf
import npu_device

npu_device.open().as_default()

print(tf.Variable(1.0).assign_add(float(int(os.getenv('RANK_ID', '0')))))
#### findings
2 TF2-HVD-1 auto
4 TF2-HVD-2 auto
5 TF2-INIT-1 auto
5 TF2-HVD-3 auto
