#### one device
import tensorflow as tf
model = tf.keras.Sequential()
model.compile('adam', 'mse')
model.fit(x, y)
#### Horovod's own family does it
import tensorflow as tf
model = tf.keras.Sequential()
model.compile('adam', 'mse')
model.fit(x, y)
#### with distributed=horovod
#### compile of a regular expression
import re
import tensorflow as tf
re.compile('adam')
pattern = re.compile(r'\d')
#### with distributed=tf_strategy
#### fit of another library
from sklearn.svm import SVC
import tensorflow as tf
SVC().fit(x, y)
#### with distributed=tf_strategy
#### a class of the user's
import tensorflow as tf
class Model(object):
    def compile(self, optimizer): pass
    def fit(self, x): pass
m = Model()
m.compile('adam')
m.fit(x)
#### with distributed=tf_strategy
#### an overridden fit
import tensorflow as tf
class Net(tf.keras.Model):
    def fit(self, x):
        return None
Net().fit(x)
#### with distributed=tf_strategy
#### wrapped before
import tensorflow as tf
from npu_bridge.npu_init import npu_callbacks_append, npu_distributed_optimizer_wrapper
model = tf.keras.Sequential()
opt = npu_distributed_optimizer_wrapper(tf.keras.optimizers.Adam())
model.compile(optimizer=opt)
model.fit(x, callbacks=npu_callbacks_append(callbacks_list=[]))
#### with distributed=tf_strategy
#### wrapped by rebinding
import tensorflow as tf
from npu_bridge.npu_init import *
model = tf.keras.Sequential()
opt = tf.keras.optimizers.Adam()
opt = npu_distributed_optimizer_wrapper(opt)
model.compile(optimizer=opt)
#### with distributed=tf_strategy
#### the NPU's callback is in the list
import tensorflow as tf
from npu_bridge.npu_init import NPUBroadcastGlobalVariablesCallback
model = tf.keras.Sequential()
callbacks = [NPUBroadcastGlobalVariablesCallback(0)]
model.fit(x, callbacks=callbacks)
#### with distributed=tf_strategy
#### TensorFlow's own optimizer is wrapped where it is made
import tensorflow as tf
model = tf.keras.Sequential()
opt = tf.train.AdamOptimizer(0.1)
model.compile(optimizer=opt)
#### with distributed=tf_strategy
#### arguments that cannot be seen
import tensorflow as tf
model = tf.keras.Sequential()
model.compile(**settings)
model.fit(x, **options)
#### with distributed=tf_strategy
#### findings
3 manual
4 manual
#### single batches take no callbacks
import tensorflow as tf
model = tf.keras.Sequential()
model.train_on_batch(x, y)
#### with distributed=tf_strategy
#### findings
3 manual
#### multi_gpu_model without a model to see
from tensorflow.keras.utils import multi_gpu_model
multi_gpu_model(*args)
#### findings
2 manual
#### a function of the user's called multi_gpu_model
def multi_gpu_model(model, gpus):
    return model
multi_gpu_model(m, 2)
