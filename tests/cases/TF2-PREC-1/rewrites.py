#### the graph rewrite of compat.v1 around an optimizer of Keras
import tensorflow as tf

opt = tf.keras.optimizers.Adam()
opt = tf.compat.v1.train.experimental.enable_mixed_precision_graph_rewrite(opt)
#### after
import tensorflow as tf
import npu_device

opt = tf.keras.optimizers.Adam()
opt = npu_device.train.optimizer.NpuLossScaleOptimizer(opt)
#### findings
4 auto-check
#### a dynamic scale by name, and a number
import tensorflow as tf

a = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale="dynamic")
b = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 128)
#### after
import tensorflow as tf
import npu_device

a = npu_device.train.optimizer.NpuLossScaleOptimizer(opt)
b = npu_device.train.optimizer.NpuLossScaleOptimizer(opt, dynamic=False, initial_scale=128)
#### an option of the graph optimizer
import tensorflow as tf

tf.config.optimizer.set_experimental_options({"auto_mixed_precision": True, "remapping": False})
#### after
import tensorflow as tf

tf.config.optimizer.set_experimental_options({"auto_mixed_precision": False, "remapping": False})
#### findings
3 auto-check
#### a variable
import os
import tensorflow as tf

os.environ["TF_ENABLE_AUTO_MIXED_PRECISION"] = "1"
#### after
import os
import tensorflow as tf

os.environ["TF_ENABLE_AUTO_MIXED_PRECISION"] = "0"
