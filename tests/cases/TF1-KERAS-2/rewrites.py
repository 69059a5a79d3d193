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
