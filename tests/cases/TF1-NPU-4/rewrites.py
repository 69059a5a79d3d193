#### the key of a session
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["auto_tune_mode"].s = tf.compat.as_bytes("RL,GA")  # tune
#### after
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["aoe_mode"].s = tf.compat.as_bytes("2")  # tune
#### findings
5 auto-check
#### single quotes stay
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map['auto_tune_mode'].s = b'GA'
#### after
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map['aoe_mode'].s = tf.compat.as_bytes("2")
#### beside its successor
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["auto_tune_mode"].s = tf.compat.as_bytes("RL,GA")
custom_op.parameter_map["aoe_mode"].s = tf.compat.as_bytes("2")
#### after
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["aoe_mode"].s = tf.compat.as_bytes("2")
#### findings
5 auto
#### an argument
from npu_bridge.npu_init import *
config = NPURunConfig(auto_tune_mode="RL,GA", precision_mode="allow_mix_precision")
#### after
from npu_bridge.npu_init import *
config = NPURunConfig(aoe_mode="2", precision_mode="allow_mix_precision")
#### findings
2 auto-check
#### an argument that is off
from npu_bridge.npu_init import *
config = NPURunConfig(precision_mode="allow_mix_precision", auto_tune_mode=None)
#### after
from npu_bridge.npu_init import *
config = NPURunConfig(precision_mode="allow_mix_precision")
#### findings
2 auto
