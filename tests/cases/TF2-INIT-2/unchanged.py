#### right
import npu_device
import tensorflow as tf
npu_device.open().as_default()
tf.random.set_seed(1)
tf.config.set_soft_device_placement(True)
model = tf.keras.Sequential()
#### options, data and functions survive
import npu_device
import tensorflow as tf
npu_device.global_options().precision_mode = 'allow_mix_precision'
dataset = tf.data.Dataset.range(9)
@tf.function
def step(x):
    return x
x = tf.constant(1)
npu_device.open().as_default()
#### numpy's seed
import numpy as np
import npu_device
np.random.seed(1)
npu_device.open().as_default()
#### never opened
import tensorflow as tf
tf.random.set_seed(1)
model = tf.keras.Sequential()
#### a module of a library
import npu_device
import tensorflow as tf
tf.random.set_seed(1)
def start():
    npu_device.open().as_default()
#### with entry=
