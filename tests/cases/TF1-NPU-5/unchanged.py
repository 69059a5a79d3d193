#### two entries
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
again = config.graph_options.rewrite_options.custom_optimizers.add()
again.name = "NpuOptimizer"
#### findings
5 manual
#### one entry
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
#### an entry in each branch
import tensorflow as tf
config = tf.ConfigProto()
if train:
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
else:
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
#### a new config in between
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
#### two functions
import tensorflow as tf
def train():
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.custom_optimizers.add().name = "NpuOptimizer"
def evaluate():
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.custom_optimizers.add().name = "NpuOptimizer"
#### two configs
import tensorflow as tf
a = tf.ConfigProto()
b = tf.ConfigProto()
a.graph_options.rewrite_options.custom_optimizers.add().name = "NpuOptimizer"
b.graph_options.rewrite_options.custom_optimizers.add().name = "NpuOptimizer"
#### beside another optimizer
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
other = config.graph_options.rewrite_options.custom_optimizers.add()
other.name = "MyOptimizer"
#### npu_config_proto has made one
import tensorflow as tf
from npu_bridge.npu_init import *
config = npu_config_proto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
#### findings
4 manual
