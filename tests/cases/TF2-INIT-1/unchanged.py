#### opened already
import npu_device as npu
import tensorflow as tf
npu.open().as_default()
model = tf.keras.Sequential()
model.fit(x)
#### opened with a handle
import npu_device
import tensorflow as tf
device = npu_device.open()
device.as_default()
tf.keras.Sequential().fit(x)
#### opened by a function of another module
import tensorflow as tf
from setup_npu import npu_config
npu_config()
tf.keras.Sequential().fit(x)
#### file setup_npu.py
import npu_device

def npu_config():
    npu_device.global_options().precision_mode = 'allow_mix_precision'
    npu_device.open().as_default()
#### imported by name
from npu_device import open
import tensorflow as tf
open().as_default()
tf.keras.Sequential().fit(x)
#### a module of a library
import tensorflow as tf

model = tf.keras.Sequential()
#### with entry=
#### a module that the project imports
import tensorflow as tf

model = tf.keras.Sequential()
model.fit(x)
#### file train.py
import main
main.model.predict(x)
#### with entry=train.py
#### sessions of compat.v1 are set up otherwise
import tensorflow as tf
with tf.compat.v1.Session() as sess:
    sess.run(op)
#### a program for compat.v1
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x = tf.placeholder(tf.float32)
#### Estimators run in sessions
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn)
estimator.train(input_fn)
#### tests
import tensorflow as tf


class ModelTest(tf.test.TestCase):
    def test_model(self):
        tf.keras.Sequential()(x)


if __name__ == '__main__':
    tf.test.main()
#### nothing of TensorFlow runs
import tensorflow as tf
print(tf.__version__)
#### definitions only
import tensorflow as tf


class Net(tf.keras.Model):
    def call(self, x):
        return tf.nn.relu(x)
#### no TensorFlow at all
import numpy as np
np.random.seed(1)
#### a module of a package that makes a model when it is imported
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
register(model)
#### file __init__.py
#### with entry=
