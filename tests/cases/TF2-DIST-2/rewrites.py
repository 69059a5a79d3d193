#### the name of an optimizer
import tensorflow as tf
model = tf.keras.Sequential()
model.compile('adam', loss='mse')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential()
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('adam'), loss='mse')
#### findings
3 auto
#### an optimizer made in the call, over several lines
import tensorflow as tf
model = tf.keras.Sequential()
model.compile(
    optimizer=tf.keras.optimizers.Adam(1e-3),  # rate
    loss='mse')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential()
model.compile(
    optimizer=npu_device.distribute.npu_distributed_keras_optimizer_wrapper(tf.keras.optimizers.Adam(1e-3)),  # rate
    loss='mse')
#### findings
4 auto
#### an optimizer made before
import tensorflow as tf
model = tf.keras.Sequential()
opt = tf.keras.optimizers.SGD(0.1)
model.compile(optimizer=opt, loss='mse')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential()
opt = tf.keras.optimizers.SGD(0.1)
model.compile(optimizer=npu_device.distribute.npu_distributed_keras_optimizer_wrapper(opt), loss='mse')
#### findings
4 auto
#### made by a function of another file
import tensorflow as tf
from optimizers import make_optimizer
model = tf.keras.Sequential()
model.compile(optimizer=make_optimizer(0.1), loss='mse')
#### with distributed=tf_strategy
#### file optimizers.py
import tensorflow as tf
def make_optimizer(rate):
    return tf.keras.optimizers.SGD(rate)
#### after
import tensorflow as tf
import npu_device
from optimizers import make_optimizer
model = tf.keras.Sequential()
model.compile(optimizer=npu_device.distribute.npu_distributed_keras_optimizer_wrapper(make_optimizer(0.1)), loss='mse')
#### findings
4 auto
#### none: Keras has one of its own
import tensorflow as tf
model = tf.keras.Sequential()
model.compile(loss='mse')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential()
model.compile(loss='mse', optimizer=npu_device.distribute.npu_distributed_keras_optimizer_wrapper('rmsprop'))
#### findings
3 auto
#### a parameter: of a class that is not known
import tensorflow as tf
def build(optimizer):
    model = tf.keras.Sequential()
    model.compile(optimizer=optimizer, loss='mse')
    return model
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
def build(optimizer):
    model = tf.keras.Sequential()
    model.compile(optimizer=npu_device.distribute.npu_distributed_keras_optimizer_wrapper(optimizer), loss='mse')
    return model
#### findings
4 auto-check
#### loss scale: the optimizer inside is wrapped
import tensorflow as tf
model = tf.keras.Sequential()
opt = tf.keras.mixed_precision.LossScaleOptimizer(tf.keras.optimizers.Adam())
model.compile(optimizer=opt, loss='mse')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
model = tf.keras.Sequential()
opt = tf.keras.mixed_precision.LossScaleOptimizer(npu_device.distribute.npu_distributed_keras_optimizer_wrapper(tf.keras.optimizers.Adam()))
model.compile(optimizer=opt, loss='mse')
#### findings
3 auto
#### minimize computes and applies
import tensorflow as tf
opt = tf.keras.optimizers.Adam(0.1)
for _ in range(10):
    opt.minimize(loss_fn, variables)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
import npu_device
opt = npu_device.distribute.npu_distributed_keras_optimizer_wrapper(tf.keras.optimizers.Adam(0.1))
for _ in range(10):
    opt.minimize(loss_fn, variables)
#### findings
2 auto
