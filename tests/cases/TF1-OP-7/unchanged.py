#### a gradient guard
import tensorflow as tf
finite = tf.reduce_all([tf.reduce_all(tf.is_finite(g)) for g in grads])
clipped, _ = tf.clip_by_global_norm(grads, 1.0, use_norm=tf.cond(finite, a, b))
#### findings
2 manual
#### under their other names
import tensorflow as tf
a = tf.math.is_nan(x)
b = tf.debugging.is_inf(x)
#### findings
2 manual
3 manual
#### assertions
import tensorflow as tf
x = tf.debugging.check_numerics(x, 'bad')
op = tf.add_check_numerics_ops()
#### findings
2 info
3 info
#### in the input pipeline
import tensorflow as tf
dataset = dataset.filter(lambda x: tf.reduce_all(tf.is_finite(x)))
#### on the host
import numpy as np
import tensorflow as tf
if np.isnan(loss):
    raise ValueError
#### an assertion on the loss
import tensorflow as tf
check = tf.Assert(tf.is_finite(loss), [loss])
#### findings
2 manual
