#### an optimizer by name
import tensorflow as tf
model = tf.keras.Sequential()
model.compile(optimizer='adam', loss='mse')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
model = tf.keras.Sequential()
model.compile(optimizer=npu_distributed_optimizer_wrapper('adam'), loss='mse')
#### findings
3 auto
#### by position, made in place
from tensorflow.keras import Sequential, optimizers
model = Sequential()
model.compile(optimizers.Adam(lr=0.1), 'mse')
#### with distributed=tf_strategy
#### after
from tensorflow.keras import Sequential, optimizers
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
model = Sequential()
model.compile(npu_distributed_optimizer_wrapper(optimizers.Adam(lr=0.1)), 'mse')
#### two models share one optimizer, which is wrapped once where it is made
import tensorflow as tf
a = tf.keras.Sequential()
b = tf.keras.Sequential()
opt = tf.keras.optimizers.SGD(0.1)
a.compile(opt, 'mse')
b.compile(optimizer=opt, loss='mae')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
a = tf.keras.Sequential()
b = tf.keras.Sequential()
opt = npu_distributed_optimizer_wrapper(tf.keras.optimizers.SGD(0.1))
a.compile(opt, 'mse')
b.compile(optimizer=opt, loss='mae')
#### findings
4 auto
#### an optimizer from a function of the user's: the argument is wrapped, not the function
import tensorflow as tf
def optimizer_for(name):
    return tf.keras.optimizers.get(name)
model = tf.keras.Sequential()
opt = optimizer_for('sgd')
model.compile(opt, 'mse')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
def optimizer_for(name):
    return tf.keras.optimizers.get(name)
model = tf.keras.Sequential()
opt = optimizer_for('sgd')
model.compile(npu_distributed_optimizer_wrapper(opt), 'mse')
#### the default optimizer
import tensorflow as tf
model = tf.keras.Sequential()
model.compile(loss='mse')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
model = tf.keras.Sequential()
model.compile(loss='mse', optimizer=npu_distributed_optimizer_wrapper('rmsprop'))
#### callbacks of every kind
import tensorflow as tf
model = tf.keras.Sequential()
model.fit(x, y)
model.fit(x, y, callbacks=[a])
model.fit(x, y, 32, 1, 1, cbs)
model.fit_generator(g, callbacks=None)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_callbacks_append
model = tf.keras.Sequential()
model.fit(x, y, callbacks=npu_callbacks_append())
model.fit(x, y, callbacks=npu_callbacks_append(callbacks_list=[a]))
model.fit(x, y, 32, 1, 1, npu_callbacks_append(callbacks_list=list(cbs or [])))
model.fit_generator(g, callbacks=npu_callbacks_append())
#### findings
3 auto-check
4 auto-check
5 auto-check
6 auto-check
#### a subclass of the model and an attribute
import tensorflow as tf
class Net(tf.keras.Model):
    pass
class Trainer(object):
    def __init__(self):
        self.net = Net()
    def run(self):
        self.net.compile('sgd')
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.npu_init import npu_distributed_optimizer_wrapper
class Net(tf.keras.Model):
    pass
class Trainer(object):
    def __init__(self):
        self.net = Net()
    def run(self):
        self.net.compile(npu_distributed_optimizer_wrapper('sgd'))
#### multi_gpu_model is the model itself
import tensorflow as tf
from tensorflow.keras.utils import multi_gpu_model
model = tf.keras.Sequential()
parallel = multi_gpu_model(model, gpus=4)  # towers
#### after
import tensorflow as tf
from tensorflow.keras.utils import multi_gpu_model
model = tf.keras.Sequential()
parallel = model  # towers
#### findings
4 auto-check
#### multi_gpu_model in the place of the model
import tensorflow as tf
model = tf.keras.Sequential()
if gpus > 1:
    model = tf.keras.utils.multi_gpu_model(model, gpus)
model.summary()
#### after
import tensorflow as tf
model = tf.keras.Sequential()
if gpus > 1:
    pass
model.summary()
#### multi_gpu_model around a call, in native keras
from keras.utils.training_utils import multi_gpu_model
parallel = multi_gpu_model(build(3), 2)
#### after
from keras.utils.training_utils import multi_gpu_model
parallel = build(3)
#### single batches of a loop
import numpy as np
import tensorflow as tf
model = tf.keras.Sequential()


def train(x, y):
    for epoch in range(3):
        for step in range(9):
            first = model.train_on_batch(x[step], y=y[step])
        model.train_on_batch([x, y], None)
#### with distributed=tf_strategy
#### after
import warnings
import numpy as np
import os
import random
import tensorflow as tf
from npu_bridge.hccl import hccl_ops
if int(os.getenv("RANK_SIZE", "1")) > 1:
    # all ranks must draw their samples in one order
    random.seed(20)
    np.random.seed(20)

model = tf.keras.Sequential()


def npu_part(samples):
    """Take the share of this rank of a batch; with one rank all of it."""
    size, rank = int(os.getenv("RANK_SIZE", "1")), int(os.getenv("RANK_ID", "0"))
    if size < 2 or samples is None:
        return samples
    if isinstance(samples, dict):
        return dict((key, npu_part(value)) for key, value in samples.items())
    if isinstance(samples, (list, tuple)):
        return [npu_part(value) for value in samples]
    if len(samples) % size:
        warnings.warn("a fed batch is not divided: every rank trains on all of it")
        return samples
    return samples[rank::size]


def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


def train(x, y):
    if int(os.getenv("RANK_SIZE", "1")) > 1:
        tf.keras.backend.get_session().run(npu_broadcast(tf.global_variables(), 0))
    for epoch in range(3):
        for step in range(9):
            first = model.train_on_batch(npu_part(x[step]), y=npu_part(y[step]))
        model.train_on_batch(npu_part([x, y]), None)
#### findings
9 auto-check
10 auto
