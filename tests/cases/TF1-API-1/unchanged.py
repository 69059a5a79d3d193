#### an API the vendor contradicts itself about, once a file
import tensorflow as tf
a = tf.math.reduce_euclidean_norm(x)
b = tf.math.reduce_euclidean_norm(y)
#### findings
2 manual
#### needs a TPU
import tensorflow as tf
parameters = tf.tpu.experimental.AdamParameters(0.1)
#### findings
2 blocker
#### other spellings, references and base classes
from tensorflow.compat.v1 import math
from tensorflow import lite
reduce = map(math.reduce_euclidean_norm, xs)

class Cell(lite.experimental.nn.TFLiteLSTMCell):
    pass
#### findings
3 manual
5 manual
#### a switch that can be left out
import tensorflow.compat.v1 as tf
tf.enable_v2_tensorshape()
#### findings
2 manual
#### supported, rewritten, harmless and deprecated APIs
import tensorflow as tf
tf.abs(x)
tf.Session()
tf.contrib.layers.conv2d(x, 3, 3)
tf.config.experimental.list_physical_devices('GPU')
tf.executing_eagerly()
#### what another rule tells
import tensorflow as tf
tf.is_nan(x)
tf.nn.ctc_loss(a, b, c)
tf.tpu.CrossShardOptimizer(opt)
tf.enable_eager_execution()
#### members of an enumeration
import tensorflow as tf
tf.lookup.TextFileIndex.WHOLE_LINE
tf.estimator.tpu.InputPipelineConfig.PER_HOST_V1
#### a method of the same name
import tensorflow as tf
x.reduce_euclidean_norm()
np.accumulate_n(xs)
#### somebody else's
from other import separable_conv2d
separable_conv2d(x)
#### the vendor does not list it
import tensorflow as tf
tf.no_such_function(x)
