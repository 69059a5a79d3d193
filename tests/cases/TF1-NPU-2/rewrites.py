#### text where bytes are needed
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = "allow_mix_precision"  # mixed
#### after
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")  # mixed
#### findings
5 auto
#### text made from parts
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["dump_path"].s = "/tmp/%s" % name
custom_op.parameter_map["debug_dir"].s = f"/tmp/{name}"
#### after
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes("/tmp/%s" % name)
custom_op.parameter_map["debug_dir"].s = tf.compat.as_bytes(f"/tmp/{name}")
#### the wrong field
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["op_debug_level"].s = tf.compat.as_bytes("1")
custom_op.parameter_map["jit_compile"].b = True
#### after
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["op_debug_level"].i = 1
custom_op.parameter_map["jit_compile"].s = tf.compat.as_bytes("true")
#### findings
5 auto-check
6 auto-check
#### without a name for TensorFlow
from npu_bridge.npu_init import npu_config_proto
def options(custom_op):
    custom_op.parameter_map["dump_mode"].s = "all"
#### after
from npu_bridge.npu_init import npu_config_proto
from tensorflow.compat import as_bytes
def options(custom_op):
    custom_op.parameter_map["dump_mode"].s = as_bytes("all")
#### a type NPURunConfig refuses
from npu_bridge.npu_init import NPURunConfig
config = NPURunConfig(jit_compile=False, mix_compile_mode=1)
#### after
from npu_bridge.npu_init import NPURunConfig
config = NPURunConfig(jit_compile="false", mix_compile_mode=True)
