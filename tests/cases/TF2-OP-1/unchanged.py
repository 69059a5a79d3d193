#### the NPU's gelu already
import npu_device
import tensorflow as tf


def gelu(x):
    return npu_device.ops.gelu(x) if fast else tf.nn.gelu(x)
#### other activations
import tensorflow as tf

a = tf.nn.relu(x)
layer = tf.keras.layers.Dense(64, activation="relu")
#### another gelu
import torch.nn as nn
import tensorflow as tf

layer = nn.Linear(3, 4, activation="gelu")
