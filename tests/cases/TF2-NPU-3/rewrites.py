#### a file of layers
import npu_device as npu
import tensorflow as tf


class Layer(tf.keras.layers.Layer):
    pass
#### with entry=train.py
#### after
import tensorflow as tf


class Layer(tf.keras.layers.Layer):
    pass
#### findings
1 auto
#### among others
import os, npu_device
import tensorflow as tf

print(os.sep)
#### with entry=train.py
#### after
import os
import tensorflow as tf

print(os.sep)
