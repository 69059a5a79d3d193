#### a scope
import tensorflow as tf
with tf.xla.experimental.jit_scope():
    y = x * 2
#### after
import tensorflow as tf
with tf.xla.experimental.jit_scope(compile_ops=False):
    y = x * 2
#### findings
2 auto
#### a function
import tensorflow as tf
y = tf.xla.experimental.compile(network, [x])
#### findings
2 manual
#### a scope by a flag
import tensorflow as tf
with tf.xla.experimental.jit_scope(compile_ops=flag):
    y = x * 2
#### findings
2 manual
