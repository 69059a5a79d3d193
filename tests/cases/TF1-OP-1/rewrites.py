#### keep probability by position stays where it is
import tensorflow as tf

h = tf.nn.dropout(h, keep_prob)
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops

h = npu_ops.dropout(h, keep_prob)
#### findings
3 auto
#### keyword keep probability and all other arguments
import tensorflow as tf
h = tf.nn.dropout(x=h, keep_prob=0.5, noise_shape=[1, 2], seed=SEED, name='drop')
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(x=h, keep_prob=0.5, noise_shape=[1, 2], seed=SEED, name='drop')
#### rate literal is folded
import tensorflow as tf
h = tf.nn.dropout(h, rate=0.1)
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(h, keep_prob=0.9)
#### rate of zero keeps everything
import tensorflow as tf
h = tf.nn.dropout(h, rate=0)
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(h, keep_prob=1.0)
#### keep probability of one needs no change but the name
import tensorflow as tf
h = tf.nn.dropout(h, 1.0)
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(h, 1.0)
#### one minus the keep probability is the keep probability
import tensorflow as tf
h = tf.nn.dropout(h, rate=1 - keep_prob)
g = tf.nn.dropout(g, rate=1.0 - (a + b))
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(h, keep_prob=keep_prob)
g = npu_ops.dropout(g, keep_prob=a + b)
#### rate expression is put in parentheses
import tensorflow as tf
h = tf.nn.dropout(h, rate=a - b)
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(h, keep_prob=1 - (a - b))
#### conditional rate is put in parentheses
import tensorflow as tf
h = tf.nn.dropout(h, rate=0.5 if training else 0.0)
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(h, keep_prob=1 - (0.5 if training else 0.0))
#### rate variable
import tensorflow as tf
h = tf.nn.dropout(h, noise_shape=None, rate=self.rate, name='d')
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(h, noise_shape=None, keep_prob=1 - self.rate, name='d')
#### rate after an empty keep probability
import tensorflow as tf
h = tf.nn.dropout(h, None, rate=rate)
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(h, 1 - rate)
#### rate in sixth position
import tensorflow as tf
h = tf.nn.dropout(h, None, None, 7, 'drop', 0.25)
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(h, 0.75, None, 7, 'drop')
#### second position of the TF 2 function is the rate
import tensorflow.compat.v2 as tf
h = tf.nn.dropout(h, 0.3, seed=1)
g = tf.nn.dropout(g, 1 - keep)
#### after
import tensorflow.compat.v2 as tf
from npu_bridge.estimator import npu_ops
h = npu_ops.dropout(h, 0.7, seed=1)
g = npu_ops.dropout(g, keep)
#### keep probability from a placeholder
import tensorflow.compat.v1 as tf
keep = tf.placeholder(tf.float32, [])
h = tf.nn.dropout(h, keep)
#### after
import tensorflow.compat.v1 as tf
from npu_bridge.estimator import npu_ops
keep = tf.placeholder(tf.float32, [])
h = npu_ops.dropout(h, keep)
#### private path and comments over several lines
from tensorflow.python.ops import nn_ops

def net(h, rate):
    return nn_ops.dropout(
        h,  # the features
        rate=rate,  # how many go
    )
#### after
from tensorflow.python.ops import nn_ops
from npu_bridge.estimator import npu_ops

def net(h, rate):
    return npu_ops.dropout(
        h,  # the features
        keep_prob=1 - rate,  # how many go
    )
#### imported function and plain alias
import tensorflow as tf
from tensorflow.nn import dropout
drop = tf.nn.dropout
a = dropout(a, 0.5)
b = drop(b, rate=0.5)
#### after
import tensorflow as tf
from tensorflow.nn import dropout
from npu_bridge.estimator import npu_ops
drop = tf.nn.dropout
a = npu_ops.dropout(a, 0.5)
b = npu_ops.dropout(b, keep_prob=0.5)
#### a name the file already uses is left alone
import tensorflow as tf
npu_ops = []
h = tf.nn.dropout(h, 0.5)
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops as npu_ops_2
npu_ops = []
h = npu_ops_2.dropout(h, 0.5)
#### layers need one import a file
import tensorflow as tf
h = tf.layers.dropout(h, 0.5, training=training)
h = tf.keras.layers.Dropout(0.5)(h)
h = tf.keras.layers.SpatialDropout2D(0.5)(h)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu import npu_convert_dropout  # noqa: F401
h = tf.layers.dropout(h, 0.5, training=training)
h = tf.keras.layers.Dropout(0.5)(h)
h = tf.keras.layers.SpatialDropout2D(0.5)(h)
#### findings
2 auto
#### imported layer class
from tensorflow.keras.layers import Dense, Dropout
model.add(Dropout(0.2))
#### after
from tensorflow.keras.layers import Dense, Dropout
from npu_bridge.estimator.npu import npu_convert_dropout  # noqa: F401
model.add(Dropout(0.2))
#### both in one branch
import tensorflow as tf
from npu_bridge.estimator import npu_ops
if training:
    a = npu_ops.dropout(a, 0.5)
    b = tf.nn.dropout(b, 0.5)
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
if training:
    a = npu_ops.dropout(a, 0.5)
    b = npu_ops.dropout(b, 0.5)
#### 64-bit floating point elsewhere in the file
import tensorflow as tf
def metric(x):
    return tf.cast(x, tf.float64)
def layer(h):
    return tf.nn.dropout(h, 0.5)
#### after
import tensorflow as tf
from npu_bridge.estimator import npu_ops
def metric(x):
    return tf.cast(x, tf.float64)
def layer(h):
    return npu_ops.dropout(h, 0.5)
