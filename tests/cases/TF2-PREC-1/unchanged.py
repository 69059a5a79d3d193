#### other options, and one that is off
import tensorflow as tf

tf.config.optimizer.set_experimental_options({"auto_mixed_precision": False})
tf.config.optimizer.set_experimental_options({"remapping": True})
#### a scale that is made elsewhere
import tensorflow as tf

opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, make_scale())
#### findings
3 manual
#### off
import os
import tensorflow as tf

os.environ["TF_ENABLE_AUTO_MIXED_PRECISION"] = "0"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
