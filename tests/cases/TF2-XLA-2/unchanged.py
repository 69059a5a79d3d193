#### a scope that is off
import tensorflow as tf
with tf.xla.experimental.jit_scope(compile_ops=False):
    y = x * 2
#### a name scope
import tensorflow as tf
with tf.name_scope('jit_scope'):
    y = x * 2
