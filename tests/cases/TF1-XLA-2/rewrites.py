#### the default compiles
import tensorflow as tf
with tf.xla.experimental.jit_scope():
    x = f()
#### after
import tensorflow as tf
with tf.xla.experimental.jit_scope(compile_ops=False):
    x = f()
#### findings
2 auto
#### another name and another argument
from tensorflow.contrib.compiler import jit
with jit.experimental_jit_scope(separate_compiled_gradients=True):
    x = f()
#### after
from tensorflow.contrib.compiler import jit
with jit.experimental_jit_scope(separate_compiled_gradients=True, compile_ops=False):
    x = f()
#### by position
import tensorflow as tf
with tf.xla.experimental.jit_scope(True, True):
    x = f()
#### after
import tensorflow as tf
with tf.xla.experimental.jit_scope(False, True):
    x = f()
