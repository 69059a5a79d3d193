#### a seed
import npu_device
import tensorflow as tf

tf.random.set_seed(1)
npu_device.open().as_default()
model = tf.keras.Sequential()
#### after
import npu_device
import tensorflow as tf

npu_device.open().as_default()
tf.random.set_seed(1)
model = tf.keras.Sequential()
#### findings
4 auto
#### a setting, before a function that opens
import npu_device as npu
import tensorflow as tf


def npu_config():
    npu.global_options().precision_mode = 'allow_mix_precision'
    npu.open().as_default()


tf.config.set_soft_device_placement(True)
npu_config()
model = tf.keras.Sequential()
#### after
import npu_device as npu
import tensorflow as tf


def npu_config():
    npu.global_options().precision_mode = 'allow_mix_precision'
    npu.open().as_default()


npu_config()
tf.config.set_soft_device_placement(True)
model = tf.keras.Sequential()
#### findings
10 auto
#### a model
import npu_device
import tensorflow as tf

model = tf.keras.Sequential([tf.keras.layers.Dense(1)])
npu_device.open().as_default()
model.fit(x)
#### findings
4 manual
#### at the outermost level, opened in main
import npu_device
import tensorflow as tf

step = tf.Variable(0)


def main():
    npu_device.open().as_default()
    tf.keras.Sequential().fit(x)


if __name__ == '__main__':
    main()
#### findings
4 manual
#### in a module
import npu_device
import tensorflow as tf
from helper import counter

npu_device.open().as_default()
#### file helper.py
import tensorflow as tf

counter = tf.Variable(0)
#### findings
3 manual
