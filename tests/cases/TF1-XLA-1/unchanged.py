#### off already
import tensorflow as tf
config = tf.ConfigProto()
config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.OFF
tf.config.optimizer.set_jit(False)
#### numbers that switch nothing on
import tensorflow as tf
config = tf.ConfigProto()
config.graph_options.optimizer_options.global_jit_level = 0
config.graph_options.optimizer_options.global_jit_level = -1
#### another option of the same object
import tensorflow as tf
config = tf.ConfigProto()
config.graph_options.optimizer_options.opt_level = 1
#### a comparison
import tensorflow as tf
if level == tf.OptimizerOptions.ON_1:
    report()
#### a switch from a flag is reported
import tensorflow as tf
tf.config.optimizer.set_jit(FLAGS.enable_xla)
#### findings
2 manual
#### levels of the rewriter
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
config.graph_options.rewrite_options.remapping = RewriterConfig.ON
#### somebody else's levels
class OptimizerOptions:
    ON_1 = 1
level = OptimizerOptions.ON_1
#### somebody else's field
options.global_jit_level = 1
#### a method of the same name
flags.set_jit(True)
