#### an optimizer switched off
import tensorflow as tf
from tensorflow.core.protobuf import rewriter_config_pb2
config = tf.ConfigProto()
config.graph_options.rewrite_options.constant_folding = rewriter_config_pb2.RewriterConfig.OFF
config.graph_options.rewrite_options.remapping = rewriter_config_pb2.RewriterConfig.OFF
#### after
import tensorflow as tf
from tensorflow.core.protobuf import rewriter_config_pb2
config = tf.ConfigProto()
config.graph_options.rewrite_options.remapping = rewriter_config_pb2.RewriterConfig.OFF
#### findings
4 auto
#### the only statement of a branch
import tensorflow as tf
config = tf.ConfigProto()
rewrite = config.graph_options.rewrite_options
if debug:
    rewrite.disable_model_pruning = True  # keep every node
#### after
import tensorflow as tf
config = tf.ConfigProto()
rewrite = config.graph_options.rewrite_options
if debug:
    pass  # keep every node
#### in a constructor
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
options = RewriterConfig(layout_optimizer=RewriterConfig.OFF, disable_meta_optimizer=True,
                         memory_optimization=RewriterConfig.OFF)
#### after
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
options = RewriterConfig(memory_optimization=RewriterConfig.OFF)
#### a dict of switches keeps the others
import tensorflow as tf
tf.config.optimizer.set_experimental_options({"constant_folding": False, "debug_stripper": True})
#### after
import tensorflow as tf
tf.config.optimizer.set_experimental_options({"debug_stripper": True})
#### a dict with nothing else
import tensorflow as tf
tf.config.optimizer.set_experimental_options({'disable_model_pruning': True})
#### after
import tensorflow as tf
