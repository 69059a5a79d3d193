#### switched off
import os
import tensorflow as tf
os.environ['TF_ENABLE_AUTO_MIXED_PRECISION'] = '0'
config = tf.ConfigProto()
config.graph_options.rewrite_options.auto_mixed_precision = 2
tf.config.optimizer.set_experimental_options({'auto_mixed_precision': False})
#### another variable
import os
import tensorflow as tf
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '1'
#### the variable is only read
import os
import tensorflow as tf
amp = int(os.environ['TF_ENABLE_AUTO_MIXED_PRECISION']) == 1
#### another field
import tensorflow as tf
config = tf.ConfigProto()
config.graph_options.rewrite_options.constant_folding = 1
#### float16 written by hand
import tensorflow as tf
with tf.variable_scope('net', custom_getter=float32_variable_storage_getter):
    x = tf.cast(x, tf.float16)
#### a function of the project
def enable_mixed_precision_graph_rewrite(opt):
    return opt
import tensorflow as tf
opt = enable_mixed_precision_graph_rewrite(opt)
#### a loss scale that cannot be followed
import tensorflow as tf
def wrap(opt, scale):
    return tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, scale)
#### findings
3 manual
#### arguments that cannot be seen
import tensorflow as tf
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(**options)
#### findings
2 manual
#### a constant off
import tensorflow as tf
from tensorflow.core.protobuf.rewriter_config_pb2 import RewriterConfig
config = tf.ConfigProto()
config.graph_options.rewrite_options.auto_mixed_precision = RewriterConfig.OFF
