#### off already
import tensorflow as tf
with tf.xla.experimental.jit_scope(compile_ops=False):
    x = f()
with tf.xla.experimental.jit_scope(False):
    x = f()
#### a flag is reported
import tensorflow as tf
with tf.xla.experimental.jit_scope(compile_ops=FLAGS.xla):
    x = f()
with tf.xla.experimental.jit_scope(**options):
    x = f()
#### findings
2 manual
4 manual
#### a compiled function is reported
import tensorflow as tf
loss, = tf.xla.experimental.compile(step, [images, labels])
wrap(tf.contrib.compiler.xla.compile)
#### findings
2 manual
3 manual
#### other compilers
import re
import tensorflow as tf
re.compile('a')
model = tf.keras.Model()
model.compile('sgd')
#### somebody else's scope
from jax import jit_scope
with jit_scope():
    x = f()
