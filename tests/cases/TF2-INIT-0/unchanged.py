#### a script for TensorFlow 2 that opens no NPU
import tensorflow as tf

x = tf.nn.dropout(tf.ones([4]), 0.5)
#### findings
1 blocker
#### a module of such a project
import tensorflow as tf
#### with entry=train.py
#### file train.py
import tensorflow as tf
import main
#### a script that opens the NPU
import npu_device as npu
import tensorflow as tf

npu.open().as_default()
