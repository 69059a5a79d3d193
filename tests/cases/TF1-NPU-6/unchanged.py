#### both are off
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
#### off before the entry, through a name for the options
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
config = tf.ConfigProto()
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
options = config.graph_options.rewrite_options
options.memory_optimization = RewriterConfig.OFF
custom_op = options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
#### off in the constructor
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
rewrite = RewriterConfig(remapping=RewriterConfig.OFF, memory_optimization=RewriterConfig.OFF)
rewrite.custom_optimizers.add().name = "NpuOptimizer"
#### no entry
import tensorflow as tf
config = tf.ConfigProto()
#### another optimizer
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "MyOptimizer"
#### the caller switches them off
import tensorflow as tf
def session_config():
    config = tf.ConfigProto()
    custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
    custom_op.name = "NpuOptimizer"
    return config
#### file train.py
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
from main import session_config
config = session_config()
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
#### another method switches them off
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
class Config:
    def __init__(self):
        self.config = tf.ConfigProto()
        custom_op = self.config.graph_options.rewrite_options.custom_optimizers.add()
        custom_op.name = "NpuOptimizer"
        self.finish()
    def finish(self):
        self.config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
        self.config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
#### made by npu_config_proto
import tensorflow as tf
from npu_bridge.npu_init import npu_config_proto
config = npu_config_proto(config_proto=tf.ConfigProto())
#### a value that cannot be seen
import tensorflow as tf
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.remapping = off
config.graph_options.rewrite_options.memory_optimization = off
#### a second entry in what npu_config_proto made
import tensorflow as tf
from npu_bridge.npu_init import *
config = npu_config_proto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
