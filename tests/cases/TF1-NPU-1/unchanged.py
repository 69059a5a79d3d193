#### a misspelt key
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["sump_mode"].s = tf.compat.as_bytes("all")
#### findings
5 manual
#### a key that nothing resembles
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["zzz"].b = True
#### findings
5 manual
#### a key that belongs to NPURunConfig
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["horovod_mode"].b = True
#### findings
5 manual
#### known keys
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["use_off_line"].b = True
custom_op.parameter_map["precision_mode"].s = tf.compat.as_bytes("allow_mix_precision")
#### the key is in a variable
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map[key].b = True
#### a helper fills the entry of another file
from npu_bridge.npu_init import *
def options(custom_op):
    custom_op.parameter_map["precison_mode"].s = tf.compat.as_bytes("allow_mix_precision")
#### findings
3 manual
#### another custom optimizer
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "MyOptimizer"
custom_op.parameter_map["level"].i = 3
#### a parameter map of something else
import tensorflow as tf
model.parameter_map["level"].i = 3
#### a replaced option has a rule of its own
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
custom_op.parameter_map["auto_tune_mode"].s = tf.compat.as_bytes("RL,GA")
#### misspelt arguments of NPURunConfig
from npu_bridge.npu_init import *
config = NPURunConfig(model_dir=d, precison_mode="allow_mix_precision", device_fn=None)
#### findings
2 manual
2 manual
#### an option that goes into a helper object
from npu_bridge.estimator.npu.npu_config import NPURunConfig
config = NPURunConfig(enable_dump=True)
#### findings
2 manual
#### known arguments
from npu_bridge.npu_init import NPURunConfig, DumpConfig
config = NPURunConfig(precision_mode="allow_mix_precision", dump_config=DumpConfig(enable_dump=True, dump_path=p), **more)
