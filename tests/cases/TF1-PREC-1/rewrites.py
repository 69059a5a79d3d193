#### dynamic by default
import tensorflow as tf
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_manager import ExponentialUpdateLossScaleManager
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
opt = NPULossScaleOptimizer(opt, loss_scale_manager=ExponentialUpdateLossScaleManager(init_loss_scale=2 ** 15, incr_every_n_steps=2000, decr_every_n_nan_or_inf=1, incr_ratio=2.0, decr_ratio=0.5))
#### findings
2 auto-check
#### a number is a fixed scale
import tensorflow as tf
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=128)
#### with distributed=horovod
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_manager import FixedLossScaleManager
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
opt = NPULossScaleOptimizer(opt, loss_scale_manager=FixedLossScaleManager(loss_scale=128), is_distributed=True)
#### the manager is made above control dependencies
import tensorflow as tf
def train(opt, loss):
    with tf.control_dependencies(update_ops):
        opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(
            opt,
            'dynamic'
        )
        return opt.minimize(loss)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_manager import ExponentialUpdateLossScaleManager
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
def train(opt, loss):
    loss_scale_manager = ExponentialUpdateLossScaleManager(init_loss_scale=2 ** 15, incr_every_n_steps=2000, decr_every_n_nan_or_inf=1, incr_ratio=2.0, decr_ratio=0.5)
    with tf.control_dependencies(update_ops):
        opt = NPULossScaleOptimizer(
            opt,
            loss_scale_manager
        )
        return opt.minimize(loss)
#### the loss scale requested wins
import tensorflow as tf
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 'dynamic')
#### with npu.loss_scale=1024 npu.precision_mode=allow_mix_precision
#### after
import tensorflow as tf
from npu_options import loss_scale_optimizer
opt = loss_scale_optimizer(opt)
#### a Keras optimizer is left plain
import tensorflow as tf
opt = tf.keras.optimizers.Adam(1e-3)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt)
#### after
import tensorflow as tf
opt = tf.keras.optimizers.Adam(1e-3)
opt = opt
#### environment variable
import os
import tensorflow as tf
os.environ['TF_ENABLE_AUTO_MIXED_PRECISION'] = '1'
if amp:
    os.environ["TF_ENABLE_AUTO_MIXED_PRECISION_GRAPH_REWRITE"] = "1"
else:
    os.environ["TF_ENABLE_AUTO_MIXED_PRECISION_GRAPH_REWRITE"] = "0"
#### after
import os
import tensorflow as tf
os.environ['TF_ENABLE_AUTO_MIXED_PRECISION'] = '0'
if amp:
    os.environ["TF_ENABLE_AUTO_MIXED_PRECISION_GRAPH_REWRITE"] = "0"
else:
    os.environ["TF_ENABLE_AUTO_MIXED_PRECISION_GRAPH_REWRITE"] = "0"
#### findings
3 auto-check
5 auto-check
#### environment variable from a flag
import os
import tensorflow as tf
os.environ['TF_ENABLE_AUTO_MIXED_PRECISION'] = '1' if args.amp else '0'  # AMP
#### after
import os
import tensorflow as tf
os.environ['TF_ENABLE_AUTO_MIXED_PRECISION'] = '0'  # AMP
#### field of the session config
import tensorflow as tf
config = tf.ConfigProto()
config.graph_options.rewrite_options.auto_mixed_precision = 1  # AMP
config.allow_soft_placement = True
#### after
import tensorflow as tf
config = tf.ConfigProto()
# AMP
config.allow_soft_placement = True
#### argument of the rewriter config
import tensorflow as tf
from tensorflow.core.protobuf import rewriter_config_pb2
options = rewriter_config_pb2.RewriterConfig(auto_mixed_precision=True)
#### after
import tensorflow as tf
from tensorflow.core.protobuf import rewriter_config_pb2
options = rewriter_config_pb2.RewriterConfig()
#### option of the graph optimizer
import tensorflow as tf
tf.config.optimizer.set_experimental_options({'auto_mixed_precision': True, 'remapping': True})
#### after
import tensorflow as tf
tf.config.optimizer.set_experimental_options({'auto_mixed_precision': False, 'remapping': True})
#### a loss scale of the script's own is kept
import tensorflow as tf
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, 256)
#### with npu.loss_scale=dynamic
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_manager import FixedLossScaleManager
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
opt = NPULossScaleOptimizer(opt, FixedLossScaleManager(loss_scale=256))
