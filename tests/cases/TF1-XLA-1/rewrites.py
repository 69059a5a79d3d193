#### a level that is set
import tensorflow as tf
config = tf.ConfigProto()
config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.ON_1  # XLA
#### after
import tensorflow as tf
config = tf.ConfigProto()
config.graph_options.optimizer_options.global_jit_level = tf.OptimizerOptions.OFF  # XLA
#### findings
3 auto
#### a level on its way through a variable
import tensorflow.compat.v1 as tf
level = 0
if use_xla:
    level = tf.OptimizerOptions.ON_2
config.graph_options.optimizer_options.global_jit_level = level
#### after
import tensorflow.compat.v1 as tf
level = 0
if use_xla:
    level = tf.OptimizerOptions.OFF
config.graph_options.optimizer_options.global_jit_level = level
#### a level as an argument, by private path
from tensorflow.core.protobuf import config_pb2 as pb
options = pb.GraphOptions(optimizer_options=pb.OptimizerOptions(
    opt_level=pb.OptimizerOptions.L0, global_jit_level=pb.OptimizerOptions.ON_1))
#### after
from tensorflow.core.protobuf import config_pb2 as pb
options = pb.GraphOptions(optimizer_options=pb.OptimizerOptions(
    opt_level=pb.OptimizerOptions.L0, global_jit_level=pb.OptimizerOptions.OFF))
#### a number
import tensorflow as tf
config = tf.ConfigProto()
config.graph_options.optimizer_options.global_jit_level = 1
options = tf.OptimizerOptions(global_jit_level=2)
#### after
import tensorflow as tf
config = tf.ConfigProto()
config.graph_options.optimizer_options.global_jit_level = -1
options = tf.OptimizerOptions(global_jit_level=-1)
#### the switch
import tensorflow as tf
tf.config.optimizer.set_jit(True)
#### after
import tensorflow as tf
tf.config.optimizer.set_jit(False)
