#### inside a function: the helper stands before the first definition
import tensorflow as tf
import horovod.tensorflow as hvd

FLAGS = tf.app.flags.FLAGS


# trains
def train(sess):
    sess.run(tf.global_variables_initializer())
    sess.run(hvd.broadcast_global_variables(0))
#### after
import tensorflow as tf
import horovod.tensorflow as hvd
from npu_bridge.hccl import hccl_ops

FLAGS = tf.app.flags.FLAGS


def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


# trains
def train(sess):
    sess.run(tf.global_variables_initializer())
    sess.run(npu_broadcast(tf.global_variables(), 0))
#### findings
10 auto-check
#### two calls share one helper; variables by keyword
import tensorflow.compat.v1 as tf1
import horovod.tensorflow as hvd

def a():
  return hvd.broadcast_variables(tf1.trainable_variables(), root_rank=0)

def npu_broadcast():
  return hvd.broadcast_global_variables(root_rank=0)
#### after
import tensorflow.compat.v1 as tf1
import horovod.tensorflow as hvd
from npu_bridge.hccl import hccl_ops

def npu_broadcast_2(variables, root_rank):
  """Operation that gives every rank the float variables of the root rank."""
  return tf1.group(*[
    tf1.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
    for variable in variables if variable.dtype.base_dtype.is_floating])


def a():
  return npu_broadcast_2(tf1.trainable_variables(), root_rank=0)

def npu_broadcast():
  return npu_broadcast_2(tf1.global_variables(), root_rank=0)
#### findings
5 auto-check
8 auto-check
#### at module level, in a script without functions
import tensorflow as tf
import horovod.keras as hvd
sess = tf.Session()
with sess.as_default():
    sess.run(hvd.broadcast_global_variables(0))
#### after
import tensorflow as tf
import horovod.keras as hvd
from npu_bridge.hccl import hccl_ops
sess = tf.Session()
def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tf.group(*[
        tf.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


with sess.as_default():
    sess.run(npu_broadcast(tf.global_variables(), 0))
#### a file that has no TensorFlow of its own
import horovod.tensorflow as hvd
def f(sess):
    sess.run(hvd.broadcast_global_variables(0))
#### after
import tensorflow
import horovod.tensorflow as hvd
from npu_bridge.hccl import hccl_ops
def npu_broadcast(variables, root_rank):
    """Operation that gives every rank the float variables of the root rank."""
    return tensorflow.group(*[
        tensorflow.assign(variable, hccl_ops.broadcast([variable], root_rank)[0])
        for variable in variables if variable.dtype.base_dtype.is_floating])


def f(sess):
    sess.run(npu_broadcast(tensorflow.global_variables(), 0))
