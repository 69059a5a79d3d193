#### a function that is only named gelu
import tensorflow as tf
def gelu(x):
    return tf.nn.relu(x)
#### a method named gelu
import tensorflow as tf
class Layer:
    def gelu(self, x):
        """Something else."""
        return x * tf.sigmoid(1.702 * x)
#### already the NPU's
from npu_bridge.estimator.npu_unary_ops import npu_unary_ops
import tensorflow as tf
def gelu(x):
    """tanh form."""
    return npu_unary_ops.gelu(x)
#### the exact form is another function
import numpy as np
import tensorflow as tf
def gelu(input_tensor):
    cdf = 0.5 * (1.0 + tf.erf(input_tensor / tf.sqrt(2.0)))
    return input_tensor * cdf
#### findings
3 info
#### another constant
import tensorflow as tf
def gelu(x):
    return 0.5 * x * (1 + tf.tanh(0.7978845608 * (x + 0.05 * x ** 3)))
#### a fourth power
import tensorflow as tf
def gelu(x):
    return 0.5 * x * (1 + tf.tanh(0.7978845608 * (x + 0.044715 * x ** 4)))
#### computed by numpy on the host
import numpy as np
def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3)))
#### two tensors
import tensorflow as tf
def gate(x, y):
    return 0.5 * y * (1 + tf.tanh(0.7978845608 * (x + 0.044715 * x ** 3)))
#### something else is returned too
import tensorflow as tf
def gelu(x):
    t = tf.tanh(0.7978845608 * (x + 0.044715 * x ** 3))
    return 0.5 * x * (1 + t), t
#### the function does more than compute
import tensorflow as tf
def gelu(x):
    t = tf.tanh(0.7978845608 * (x + 0.044715 * x ** 3))
    tf.summary.histogram('t', t)
    return 0.5 * x * (1 + t)
#### a constant that is not known
import tensorflow as tf
def gelu(x, c):
    return 0.5 * x * (1 + tf.tanh(c * (x + 0.044715 * x ** 3)))
#### a branch
import tensorflow as tf
def gelu(x, fast):
    if fast:
        return tf.nn.relu(x)
    return 0.5 * x * (1 + tf.tanh(0.7978845608 * (x + 0.044715 * x ** 3)))
#### tanh of another library
import torch
import tensorflow as tf
def gelu(x):
    return 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x ** 3)))
