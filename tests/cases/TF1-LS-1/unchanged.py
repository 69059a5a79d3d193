#### already the NPU's
from npu_bridge.estimator.npu.npu_loss_scale_manager import FixedLossScaleManager
manager = FixedLossScaleManager(loss_scale=512)
#### the NPU's under control dependencies
import tensorflow as tf
from npu_bridge.npu_init import *
with tf.control_dependencies(ops):
    manager = ExponentialUpdateLossScaleManager(2**32, 1000)
#### findings
4 manual
#### loss scaled by hand stays
import tensorflow as tf
grads = opt.compute_gradients(loss * 512)
grads = [(g / 512, v) for g, v in grads]
#### a class of the same name elsewhere
from mylib import FixedLossScaleManager
manager = FixedLossScaleManager(512)
#### a loss scale for Keras has no manager
import tensorflow as tf
scale = tf.train.experimental.DynamicLossScale()
policy = tf.keras.mixed_precision.experimental.Policy('mixed_float16', loss_scale=scale)
#### findings
2 manual
#### a loss scale that goes somewhere unknown
import tensorflow as tf
def scale():
    return tf.train.experimental.FixedLossScale(128)
#### findings
3 manual
#### arguments that cannot be seen
import tensorflow as tf
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(
    opt, tf.train.experimental.DynamicLossScale(**options))
#### findings
3 manual
#### imported and not used
from tensorflow.contrib.mixed_precision import FixedLossScaleManager
#### an attribute of the loss scale is used
import tensorflow as tf
scale = tf.train.experimental.DynamicLossScale()
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, scale)
print(scale.increment_period)
#### findings
2 manual
