#### both precision modes
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
custom_op.parameter_map["precision_mode_v2"].s = tf.compat.as_bytes("mixed_float16")
#### findings
5 manual
#### one or the other
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
if old:
    custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
else:
    custom_op.parameter_map["precision_mode_v2"].s = tf.compat.as_bytes("mixed_float16")
#### a list of operators without a mixed mode
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("force_fp32")
custom_op.parameter_map["modify_mixlist"].s = tf.compat.as_bytes("ops.json")
#### findings
6 manual
#### a list of operators with a mode that cannot be seen
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes(mode)
custom_op.parameter_map["modify_mixlist"].s = tf.compat.as_bytes("ops.json")
#### a dump without a path
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
#### findings
5 manual
#### a dump with a path
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes(path)
#### two dumps with a switch each
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
if FLAGS.data_dump:
    custom_op.parameter_map["enable_dump"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes(path)
if FLAGS.over_dump:
    custom_op.parameter_map["enable_dump_debug"].b = True
    custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes(path)
#### two dumps at once
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["dump_path"].s = tf.compat.as_bytes(path)
custom_op.parameter_map["enable_dump"].b = True
custom_op.parameter_map["enable_dump_debug"].b = True
#### findings
6 manual
#### a dump that may be off
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = FLAGS.dump
#### the entry goes to a function that may set the rest
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["enable_dump"].b = True
set_paths(custom_op)
#### options of two entries
import tensorflow as tf
def train():
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
def evaluate():
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    custom_op.parameter_map["precision_mode_v2"].s = tf.compat.as_bytes("mixed_float16")
#### an option nobody reads
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["dump_mode"].s = tf.compat.as_bytes("all")
#### findings
5 info
#### arguments of NPURunConfig
from npu_bridge.npu_init import *
config = NPURunConfig(precision_mode="allow_mix_precision", precision_mode_v2="mixed_float16")
#### findings
2 manual
#### a helper object without a path
from npu_bridge.npu_init import *
dump = DumpConfig(enable_dump=True)
config = NPURunConfig(dump_config=dump)
#### findings
3 manual
#### a helper object that cannot be seen
from npu_bridge.npu_init import *
config = NPURunConfig(dump_config=make_dump(), modify_mixlist="ops.json")
#### explicitly not set
from npu_bridge.npu_init import *
config = NPURunConfig(precision_mode="allow_mix_precision", precision_mode_v2=None)
#### arguments from elsewhere
from npu_bridge.npu_init import *
config = NPURunConfig(modify_mixlist="ops.json", **options)
