"""What npu_device.open() loses; codes stand behind their lines."""

import npu_device as npu
import tensorflow as tf

tf.random.set_seed(3)  # EMU-OPEN-1
tf.config.optimizer.set_jit(True)
early = tf.Variable(1.0)  # EMU-OPEN-1
model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])  # EMU-OPEN-1


@tf.function  # EMU-OPEN-1
def traced(x):
    return x + 1


@tf.function
def untraced(x):
    return x + 1


traced(tf.constant(1.0))
npu.open().as_default()  # EMU-OPEN-1
untraced(tf.constant(1.0))
