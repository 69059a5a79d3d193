#### already the NPU's
import tensorflow as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(h, keep_prob=0.9)
#### layers already patched
import tensorflow as tf
from npu_bridge.estimator.npu import npu_convert_dropout  # noqa: F401
h = tf.layers.dropout(h, 0.5)
#### contrib and slim dropout
import tensorflow as tf
slim = tf.contrib.slim
h = slim.dropout(h, 0.5)
h = tf.contrib.layers.dropout(h, keep_prob=0.5)
#### cell wrapper
import tensorflow as tf
cell = tf.nn.rnn_cell.DropoutWrapper(cell, output_keep_prob=0.5)
#### somebody else's dropout
import torch.nn.functional as tf
h = tf.dropout(h, rate=0.1)
#### own function of the name
import tensorflow as tf
def dropout(x, rate):
    return x
h = dropout(h, rate=0.1)
#### arguments that cannot be seen
import tensorflow as tf
h = tf.nn.dropout(h, **options)
g = tf.nn.dropout(*arguments)
#### a rate TensorFlow refuses
import tensorflow as tf
h = tf.nn.dropout(h, rate=1.0)
#### neither rate nor keep probability
import tensorflow as tf
h = tf.nn.dropout(h)
#### function passed on
import tensorflow as tf
layers = [tf.nn.dropout]
#### function with arguments of its own
import functools
import tensorflow as tf
drop = functools.partial(tf.nn.dropout, keep_prob=0.5)
h = drop(h)
#### 64-bit floating point has no such operator
import tensorflow as tf
x = tf.cast(features, tf.float64)
h = tf.nn.dropout(x, 0.5)
#### findings
3 info
#### a layer on 64-bit floating point
import tensorflow as tf
class Net:
    def __init__(self):
        self.x = tf.placeholder(tf.float64, [4, 4])
    def build(self, h):
        return tf.nn.dropout(tf.matmul(h, self.w), 0.5)
#### findings
6 info
#### Keras set to 64-bit floating point
import tensorflow as tf
tf.keras.backend.set_floatx('float64')
def build():
    return tf.keras.layers.Dropout(0.5)
#### findings
4 info
#### only looks like it in a string
import tensorflow as tf
text = "tf.nn.dropout(x, rate=0.1)"
#### masking in the input pipeline runs on the host
import tensorflow as tf
def mask(features):
    return tf.nn.dropout(features, 0.5)
dataset = tf.data.Dataset.from_tensor_slices(data).map(mask)
#### method of the name on an object of the project
import tensorflow as tf
class Net:
    def dropout(self, x, rate):
        return x
Net().dropout(h, rate=0.1)
#### a switch of the program chooses between both
import tensorflow as tf
from npu_bridge.estimator import npu_ops
def drop(x, rate):
    if FLAGS.npu_dropout:
        return npu_ops.dropout(x, 1.0 - rate)
    else:
        return tf.nn.dropout(x, 1.0 - rate)
