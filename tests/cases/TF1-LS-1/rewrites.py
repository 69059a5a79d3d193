#### contrib managers keep their arguments
import tensorflow as tf
fixed = tf.contrib.mixed_precision.FixedLossScaleManager(512)
moving = tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager(
    init_loss_scale=2**32, incr_every_n_steps=1000, decr_ratio=0.5)  # as before
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_manager import (
    ExponentialUpdateLossScaleManager, FixedLossScaleManager)
fixed = FixedLossScaleManager(512)
moving = ExponentialUpdateLossScaleManager(
    init_loss_scale=2**32, incr_every_n_steps=1000, decr_ratio=0.5)  # as before
#### findings
2 auto
3 auto
#### imported class: the import statement changes
from tensorflow.contrib.mixed_precision import FixedLossScaleManager
manager = FixedLossScaleManager(loss_scale=128)
#### after
from npu_bridge.estimator.npu.npu_loss_scale_manager import FixedLossScaleManager
manager = FixedLossScaleManager(loss_scale=128)
#### imported together with others, under other names
import tensorflow as tf
from tensorflow.contrib.mixed_precision import FixedLossScaleManager as Fixed, LossScaleManager
def manager():
    return Fixed(1024)
#### after
import tensorflow as tf
from tensorflow.contrib.mixed_precision import LossScaleManager
from npu_bridge.estimator.npu.npu_loss_scale_manager import FixedLossScaleManager as Fixed
def manager():
    return Fixed(1024)
#### dynamic loss scale with its defaults
import tensorflow as tf
scale = tf.train.experimental.DynamicLossScale()
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, scale)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_manager import ExponentialUpdateLossScaleManager
scale = ExponentialUpdateLossScaleManager(init_loss_scale=2 ** 15, incr_every_n_steps=2000, decr_every_n_nan_or_inf=1, incr_ratio=2.0, decr_ratio=0.5)
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, scale)
#### dynamic loss scale that is read, too
import tensorflow as tf
def wrap(opt, init):
    scaler = tf.train.experimental.DynamicLossScale(initial_loss_scale=init, increment_period=1000, multiplier=4)
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, scaler)
    value = tf.identity(scaler(), name="loss_scale")
    return opt, value
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_manager import ExponentialUpdateLossScaleManager
def wrap(opt, init):
    scaler = ExponentialUpdateLossScaleManager(init_loss_scale=init, incr_every_n_steps=1000, decr_every_n_nan_or_inf=1, incr_ratio=4, decr_ratio=0.25)
    opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, scaler)
    value = tf.identity(scaler.get_loss_scale(), name="loss_scale")
    return opt, value
#### multiplier that is not a number
import tensorflow as tf
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    opt, tf.train.experimental.DynamicLossScale(multiplier=a + b))
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_manager import ExponentialUpdateLossScaleManager
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    opt, ExponentialUpdateLossScaleManager(init_loss_scale=2 ** 15, incr_every_n_steps=2000, decr_every_n_nan_or_inf=1, incr_ratio=a + b, decr_ratio=1.0 / (a + b)))
#### fixed loss scale by keyword
import tensorflow.compat.v1 as tf
scale = tf.train.experimental.FixedLossScale(loss_scale_value=FLAGS.scale)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=scale)
#### after
import tensorflow.compat.v1 as tf
from npu_bridge.estimator.npu.npu_loss_scale_manager import FixedLossScaleManager
scale = FixedLossScaleManager(loss_scale=FLAGS.scale)
opt = tf.train.experimental.enable_mixed_precision_graph_rewrite(opt, loss_scale=scale)
#### manager under control dependencies must move
import tensorflow as tf
with tf.control_dependencies(update_ops):
    manager = tf.contrib.mixed_precision.ExponentialUpdateLossScaleManager(2**32, 1000)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_manager import ExponentialUpdateLossScaleManager
with tf.control_dependencies(update_ops):
    manager = ExponentialUpdateLossScaleManager(2**32, 1000)
#### findings
3 manual
3 auto
