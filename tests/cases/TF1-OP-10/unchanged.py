#### constants too small under mixed precision
import tensorflow as tf
EPS = 1e-10
a = tf.log(p + 1e-12)
b = tf.sqrt(tf.reduce_sum(x) + EPS)
c = tf.nn.batch_normalization(x, mean, var, beta, gamma, 1e-12)
d = tf.clip_by_value(p, 1e-10, 1.0)
e = tf.nn.l2_normalize(x, 1)
#### with npu.precision_mode=allow_mix_precision
#### findings
3 manual
4 manual
5 manual
6 manual
7 manual
#### worth knowing without mixed precision
import tensorflow as tf
a = tf.log(p + 1e-12)
e = tf.nn.l2_normalize(x, 1)
#### findings
2 info
#### large enough
import tensorflow as tf
a = tf.log(p + 1e-6)
c = tf.nn.batch_normalization(x, mean, var, beta, gamma, variance_epsilon=1e-5)
d = tf.maximum(x, 0.0)
#### with npu.precision_mode=allow_mix_precision
#### an optimizer's epsilon is not an operand
import tensorflow as tf
opt = tf.train.AdamOptimizer(1e-3, epsilon=1e-8)
#### with npu.precision_mode=allow_mix_precision
#### not known
import tensorflow as tf
def f(x, eps):
    return tf.log(x + eps)
#### with npu.precision_mode=allow_mix_precision
#### on the host
import numpy as np
import tensorflow as tf
a = np.log(x + 1e-12)
#### with npu.precision_mode=allow_mix_precision
