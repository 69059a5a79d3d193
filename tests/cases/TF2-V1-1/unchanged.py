#### switched on already
import npu_device
import tensorflow as tf
npu_device.compat.enable_v1()
sess = tf.compat.v1.Session()
#### switched on by a function
import tensorflow as tf
from npu_device.compat import enable_v1
def config():
    enable_v1()
config()
sess = tf.compat.v1.Session()
#### opened for eager code is another finding
import npu_device
import tensorflow as tf
npu_device.open().as_default()
sess = tf.compat.v1.Session()
#### a module of a library
import tensorflow as tf
def run():
    return tf.compat.v1.Session()
#### with entry=
#### eager code
import tensorflow as tf
model = tf.keras.Sequential()
model.fit(x)
#### only helpers of compat.v1
import tensorflow as tf
tf.compat.v1.logging.set_verbosity(tf.compat.v1.logging.INFO)
model = tf.keras.Sequential()
#### an Estimator of TensorFlow 2
import tensorflow as tf
estimator = tf.estimator.Estimator(model_fn)
