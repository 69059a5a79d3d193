#### the right fields
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
custom_op.parameter_map["iterations_per_loop"].i = 10
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
#### bytes in other ways
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["dump_mode"].s = b"all"
custom_op.parameter_map["dump_path"].s = path.encode("utf-8")
custom_op.parameter_map["dump_data"].s = "stats".encode()
#### a value that cannot be seen
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes(FLAGS.precision_mode)
custom_op.parameter_map["dump_path"].s = path
#### a wrong field without a literal
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].b = True
custom_op.parameter_map["op_debug_level"].s = level
#### findings
5 manual
6 manual
#### a value the option cannot have
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mixed_precision")
#### findings
5 manual
#### a value not every product has
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision_bf16")
#### findings
5 info
#### unknown keys are not judged
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["sump_mode"].s = "all"
#### another optimizer's map
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "MyOptimizer"
custom_op.parameter_map["dump_mode"].s = "all"
#### arguments of NPURunConfig
from npu_bridge.npu_init import NPURunConfig
config = NPURunConfig(precision_mode="allow_mix_precision", jit_compile="auto", iterations_per_loop=FLAGS.n, op_select_implmode=None)
#### an argument with a value it cannot have
from npu_bridge.npu_init import NPURunConfig
config = NPURunConfig(precision_mode="mixed")
#### findings
2 manual
