#### the successor
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["aoe_mode"].s = tf.compat.as_bytes("2")
#### a mode that cannot be seen
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["auto_tune_mode"].s = tf.compat.as_bytes(FLAGS.autotune)
#### findings
5 manual
#### an argument that cannot be seen
from npu_bridge.npu_init import *
config = NPURunConfig(auto_tune_mode=FLAGS.autotune)
#### findings
2 manual
#### another optimizer's map
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "MyOptimizer"
custom_op.parameter_map["auto_tune_mode"].s = tf.compat.as_bytes("RL,GA")
#### a variable of that name
import tensorflow as tf
auto_tune_mode = "RL,GA"
#### a dict of that name
import tensorflow as tf
options = {"auto_tune_mode": "RL,GA"}
#### another class
import tensorflow as tf
config = RunConfig(auto_tune_mode="RL,GA")
#### read, not written
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
print(custom_op.parameter_map["auto_tune_mode"].s)
