#### an optimizer of the user's
import tensorflow as tf
class Lion(tf.keras.optimizers.Optimizer):
    pass
model = tf.keras.Sequential()
model.compile(optimizer=Lion(), loss='mse')
#### with distributed=tf_strategy
#### findings
5 manual
#### an optimizer of an addon
import tensorflow as tf
import tensorflow_addons as tfa
model = tf.keras.Sequential()
model.compile(optimizer=tfa.optimizers.LAMB(0.1), loss='mse')
#### with distributed=tf_strategy
#### findings
4 manual
#### hidden arguments
import tensorflow as tf
model = tf.keras.Sequential()
model.compile(**settings)
#### with distributed=tf_strategy
#### findings
3 manual
#### a copy of an optimizer
import tensorflow as tf
opt = tf.keras.optimizers.Adam.from_config(config)
#### with distributed=tf_strategy
#### a model that is loaded and trained
import tensorflow as tf
model = tf.keras.models.load_model('model.h5')
model.fit(dataset)
#### with distributed=tf_strategy
#### findings
2 manual
#### an object that may be a model
import tensorflow as tf
def train(net):
    net.compile(optimizer='adam', loss='mse')
#### with distributed=tf_strategy
#### findings
3 possible
#### on one device
import tensorflow as tf
model = tf.keras.Sequential()
model.compile('adam', loss='mse')
#### wrapped already
import tensorflow as tf
import npu_device as npu
model = tf.keras.Sequential()
opt = npu.distribute.npu_distributed_keras_optimizer_wrapper(tf.keras.optimizers.Adam())
model.compile(optimizer=opt, loss='mse')
#### with distributed=tf_strategy
#### wrapped already, by a statement
import tensorflow as tf
import npu_device as npu
model = tf.keras.Sequential()
opt = tf.keras.optimizers.Adam()
npu.distribute.npu_distributed_keras_optimizer_wrapper(opt)
model.compile(optimizer=opt, loss='mse')
#### with distributed=tf_strategy
#### wrapped inside a loss-scaling one
import tensorflow as tf
import npu_device
from npu_device.distribute import npu_distributed_keras_optimizer_wrapper
model = tf.keras.Sequential()
opt = tf.keras.mixed_precision.LossScaleOptimizer(npu_distributed_keras_optimizer_wrapper(tf.keras.optimizers.Adam()))
model.compile(opt, 'mse')
#### with distributed=tf_strategy
#### an optimizer that applies gradients of a tape
import tensorflow as tf
opt = tf.keras.optimizers.Adam()
def step(grads, variables):
    opt.apply_gradients(zip(grads, variables))
#### with distributed=tf_strategy
#### a regular expression
import re
import tensorflow as tf
pattern = re.compile('a+')
#### with distributed=tf_strategy
#### an optimizer of PyTorch's
import torch
import tensorflow as tf
opt = torch.optim.Adam(net.parameters())
#### with distributed=tf_strategy
#### scipy's minimize
import tensorflow as tf
from scipy import optimize
found = optimize.minimize(f, x0)
#### with distributed=tf_strategy
#### a model that is loaded to evaluate
import tensorflow as tf
model = tf.keras.models.load_model('model.h5')
model.evaluate(dataset)
#### with distributed=tf_strategy
#### a model that is loaded and compiled again
import tensorflow as tf
import npu_device
model = tf.keras.models.load_model('model.h5')
model.compile(npu_device.distribute.npu_distributed_keras_optimizer_wrapper('adam'), 'mse')
model.fit(dataset)
#### with distributed=tf_strategy
