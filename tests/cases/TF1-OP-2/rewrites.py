#### the temporary variable goes, signature, docstring and comments stay
import numpy as np
import tensorflow as tf


def gelu(x):
    """Gaussian Error Linear Unit.

    Returns: x with the activation applied.
    """
    # as in the paper
    cdf = 0.5 * (1.0 + tf.tanh(
        (np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3)))))
    return x * cdf  # done


y = gelu(y)
#### after
import numpy as np
import tensorflow as tf
from npu_bridge.estimator.npu_unary_ops import npu_unary_ops


def gelu(x):
    """Gaussian Error Linear Unit.

    Returns: x with the activation applied.
    """
    # as in the paper
    return npu_unary_ops.gelu(x)  # done


y = gelu(y)
#### findings
5 auto
#### another name, a power operator and typed constants
import tensorflow as tf
def act(inputs, name=None):
    return 0.5 * inputs * (1 + tf.nn.tanh(0.7978845608 * (inputs + 0.044715 * inputs ** 3)))
#### after
import tensorflow as tf
from npu_bridge.estimator.npu_unary_ops import npu_unary_ops
def act(inputs, name=None):
    return npu_unary_ops.gelu(inputs)
#### factored out and multiplied by itself
import tensorflow as tf
def gelu_fast(x):
    return 0.5 * x * (1.0 + tf.tanh(x * 0.7978845608 * (1.0 + 0.044715 * x * x)))
#### after
import tensorflow as tf
from npu_bridge.estimator.npu_unary_ops import npu_unary_ops
def gelu_fast(x):
    return npu_unary_ops.gelu(x)
#### a method uses its tensor, not self
import math
import tensorflow as tf
class Net:
    def activation(self, x):
        c = math.sqrt(2.0 / math.pi)
        inner = tf.multiply(c, tf.add(x, 0.044715 * tf.pow(x, 3)))
        return tf.multiply(0.5 * x, 1.0 + tf.tanh(inner))
#### after
import math
import tensorflow as tf
from npu_bridge.estimator.npu_unary_ops import npu_unary_ops
class Net:
    def activation(self, x):
        return npu_unary_ops.gelu(x)
#### lambda
import numpy as np
import tensorflow.compat.v1 as tf
gelu = lambda x: 0.5 * x * (1 + tf.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x * x * x)))
#### after
import numpy as np
import tensorflow.compat.v1 as tf
from npu_bridge.estimator.npu_unary_ops import npu_unary_ops
gelu = lambda x: npu_unary_ops.gelu(x)
#### a name scope stays around it
import tensorflow as tf
def gelu(x):
    half = 0.5
    with tf.name_scope('gelu'):
        t = tf.tanh(tf.sqrt(2 / 3.141592653589793) * (x + 0.044715 * x ** 3))
        return half * x * (1 + t)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu_unary_ops import npu_unary_ops
def gelu(x):
    with tf.name_scope('gelu'):
        return npu_unary_ops.gelu(x)
#### a comment between the statements is kept
import numpy as np
import tensorflow as tf
def gelu(x):
  cdf = 0.5 * (1.0 + tf.tanh((np.sqrt(2 / np.pi) * (x + 0.044715 * tf.pow(x, 3)))))
  # times the probability
  return x * cdf
#### after
import numpy as np
import tensorflow as tf
from npu_bridge.estimator.npu_unary_ops import npu_unary_ops
def gelu(x):
  # times the probability
  return npu_unary_ops.gelu(x)
