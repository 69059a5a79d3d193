#### two numbers
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["iterations_per_loop"].i = 10
from npu_bridge.estimator.npu import util
train_op = util.set_iteration_per_loop(sess, train_op, 100)
#### findings
7 manual
#### one number
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["iterations_per_loop"].i = 10
from npu_bridge.estimator.npu import util
train_op = util.set_iteration_per_loop(sess, train_op, 10)
#### one variable
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
n = 10
custom_op.parameter_map["iterations_per_loop"].i = n
from npu_bridge.estimator.npu import util
train_op = util.set_iteration_per_loop(sess, train_op, n)
#### nothing loops the step
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["iterations_per_loop"].i = 10
#### findings
5 manual
#### one step a run
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["iterations_per_loop"].i = 1
#### a hook loops the step
from npu_bridge.npu_init import *
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["iterations_per_loop"].i = 10
hooks = [SetIterationsVarHook(10)]
#### another file loops the step
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["iterations_per_loop"].i = 10
#### file train.py
import main
from npu_bridge.npu_init import util
train_op = util.set_iteration_per_loop(sess, train_op, 10)
#### a number that cannot be seen
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["iterations_per_loop"].i = FLAGS.loop
