#### what the NPU wants off
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
config = tf.ConfigProto()
config.graph_options.rewrite_options.remapping = RewriterConfig.OFF
config.graph_options.rewrite_options.memory_optimization = RewriterConfig.OFF
#### switched on
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
config = tf.ConfigProto()
config.graph_options.rewrite_options.constant_folding = RewriterConfig.ON
config.graph_options.rewrite_options.layout_optimizer = RewriterConfig.DEFAULT
#### pruning stays on
import tensorflow as tf
config = tf.ConfigProto()
config.graph_options.rewrite_options.disable_model_pruning = False
#### an object of the same look
config.rewrite_options.constant_folding = OFF
#### other constructor arguments
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
options = RewriterConfig(remapping=RewriterConfig.OFF, auto_parallel=None)
#### harmless switches in a dict
import tensorflow as tf
tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True, "layout_optimizer": True})
#### the vendor's own options are made elsewhere
import tensorflow as tf
options = load()
tf.config.optimizer.set_experimental_options(options)
#### findings
3 manual
#### a value that cannot be seen
import tensorflow as tf
config = tf.ConfigProto()
config.graph_options.rewrite_options.layout_optimizer = flag
#### findings
3 manual
#### read, not written
import tensorflow as tf
config = tf.ConfigProto()
print(config.graph_options.rewrite_options.constant_folding)
#### in a config somebody made for the NPU
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
config = tf.ConfigProto()
custom_op = config.graph_options.rewrite_options.custom_optimizers.add()
custom_op.name = "NpuOptimizer"
config.graph_options.rewrite_options.constant_folding = RewriterConfig.OFF
#### findings
6 info
