#### the loss scale of Keras
import tensorflow as tf

optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
#### with select=TF2-LS
#### after
import tensorflow as tf
import npu_device

optimizer = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
#### findings
3 TF2-LS-1 auto
#### all its arguments
import tensorflow as tf

optimizer = tf.keras.mixed_precision.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.1), dynamic=False, initial_scale=1024)
#### with select=TF2-LS
#### after
import tensorflow as tf
import npu_device

optimizer = npu_device.train.optimizer.NpuLossScaleOptimizer(
    tf.keras.optimizers.SGD(0.1), dynamic=False, initial_scale=1024)
#### findings
3 TF2-LS-1 auto
#### by an alias of the module
import tensorflow as tf
from tensorflow.keras import mixed_precision

optimizer = mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
#### with select=TF2-LS
#### after
import tensorflow as tf
import npu_device
from tensorflow.keras import mixed_precision

optimizer = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
#### findings
4 TF2-LS-1 auto
#### the experimental class
import tensorflow as tf

optimizer = tf.keras.mixed_precision.experimental.LossScaleOptimizer(
    tf.keras.optimizers.SGD(0.1), 'dynamic')
#### with select=TF2-LS
#### after
import tensorflow as tf
from npu_device.train.optimizer.npu_loss_scale_optimizer import NpuExperimentalLossScaleOptimizer

optimizer = NpuExperimentalLossScaleOptimizer(
    tf.keras.optimizers.SGD(0.1), 'dynamic')
#### findings
3 TF2-LS-1 auto
#### the graph rewrite of compat.v1
import tensorflow as tf

optimizer = tf.keras.optimizers.SGD(0.1)
optimizer = tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite(optimizer)
#### with select=TF2-PREC
#### after
import tensorflow as tf
import npu_device

optimizer = tf.keras.optimizers.SGD(0.1)
optimizer = npu_device.train.optimizer.NpuLossScaleOptimizer(optimizer)
#### findings
4 TF2-PREC-1 auto-check
#### a policy makes Keras wrap the optimizer itself
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy('mixed_float16')
model = tf.keras.applications.ResNet50()
model.compile(tf.keras.optimizers.SGD(0.1), 'mse')
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

tf.keras.mixed_precision.set_global_policy('mixed_float16')
model = tf.keras.applications.ResNet50()
model.compile(npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1)), 'mse')
#### findings
3 TF2-INIT-1 auto
5 TF2-LS-2 auto
#### the policy under its older name
import tensorflow as tf

tf.keras.mixed_precision.experimental.set_policy('mixed_float16')
model = tf.keras.applications.ResNet50()
model.compile('sgd', 'mse')
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

tf.keras.mixed_precision.experimental.set_policy('mixed_float16')
model = tf.keras.applications.ResNet50()
model.compile(npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.get('sgd')), 'mse')
#### findings
3 TF2-INIT-1 auto
5 TF2-LS-2 auto
#### a policy of bfloat16
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy('mixed_bfloat16')
model = tf.keras.applications.ResNet50()
model.compile('sgd', 'mse')
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

tf.keras.mixed_precision.set_global_policy('mixed_bfloat16')
model = tf.keras.applications.ResNet50()
model.compile('sgd', 'mse')
#### findings
3 TF2-PREC-2 manual
3 TF2-INIT-1 auto
#### a policy and a precision mode: not both
import npu_device
import tensorflow as tf

npu_device.global_options().precision_mode = 'allow_mix_precision'
npu_device.open().as_default()
tf.keras.mixed_precision.set_global_policy('mixed_float16')
#### findings
6 TF2-PREC-2 manual
#### a small epsilon in float16
import tensorflow as tf

tf.keras.mixed_precision.set_global_policy('mixed_float16')


def loss(p):
    return -tf.math.log(p + 1e-10)
#### with select=TF2-OP
#### findings
7 TF2-OP-10 info
#### explicit aggregation, which the NPU's optimizer does not take
import tensorflow as tf

optimizer = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
optimizer.apply_gradients([], experimental_aggregate_gradients=False)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

optimizer = npu_device.train.optimizer.NpuLossScaleOptimizer(tf.keras.optimizers.SGD(0.1))
optimizer.apply_gradients([])
#### findings
3 TF2-INIT-1 auto
3 TF2-LS-1 auto
4 TF2-LS-3 auto
#### gelu
import tensorflow as tf


def block(x):
    return tf.nn.gelu(x, approximate=True) + tf.keras.activations.gelu(x, approximate=True)
#### with select=TF2-OP
#### findings
5 TF2-OP-1 info
#### exact gelu, and by its name
import tensorflow as tf


def block(x):
    return tf.keras.layers.Dense(4, activation='gelu')(tf.nn.gelu(x, approximate=False))
#### with select=TF2-OP
#### findings
5 TF2-OP-1 info
#### gelu by its formula
import math
import tensorflow as tf


def gelu(x):
    return 0.5 * x * (1.0 + tf.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * tf.pow(x, 3))))
#### findings
5 TF2-OP-1 info
#### dropout stays
import tensorflow as tf


def block(x):
    return tf.nn.dropout(tf.nn.dropout(x, 0.1), 0.1, noise_shape=[8, 1])
#### with select=TF2-OP
#### dropout of an older port
import tensorflow as tf
import npu_convert_dropout

model = tf.keras.Sequential([tf.keras.layers.Dropout(0.1)])
#### with select=TF2-OP
#### file npu_convert_dropout.py
import npu_device
import tensorflow as tf


def call(self, x, training=None):
    return npu_device.gen_npu_ops.drop_out_do_mask_v3(x)


tf.keras.layers.Dropout.call = call
#### after
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dropout(0.1)])
#### findings
2 TF2-OP-2 auto
#### a loss that is scaled by hand
import tensorflow as tf

LOSS_SCALE = 512
model = tf.keras.applications.ResNet50()
optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        scaled = tf.reduce_mean(model(x)) * LOSS_SCALE
    grads = tape.gradient(scaled, model.trainable_variables)
    grads = [item / LOSS_SCALE for item in grads]
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


for x in dataset:
    step(x)
#### after
import tensorflow as tf
import npu_device

npu_device.open().as_default()

LOSS_SCALE = 512
model = tf.keras.applications.ResNet50()
optimizer = tf.keras.optimizers.SGD(0.1)


@tf.function
def step(x):
    with tf.GradientTape() as tape:
        scaled = tf.reduce_mean(model(x)) * LOSS_SCALE
    grads = tape.gradient(scaled, model.trainable_variables)
    grads = [item / LOSS_SCALE for item in grads]
    optimizer.apply_gradients(zip(grads, model.trainable_variables))


for x in dataset:
    step(x)
#### findings
4 TF2-INIT-1 auto
11 TF2-LS-4 info
#### operators that keep their type
import npu_device
import tensorflow as tf

npu_device.global_options().precision_mode = 'allow_mix_precision'
npu_device.open().as_default()
with npu_device.compat.v1.keep_dtype_scope():
    print(tf.Variable(1.0).assign_add(1.0))
