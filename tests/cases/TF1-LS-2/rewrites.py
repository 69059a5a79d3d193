#### contrib optimizer
import tensorflow as tf
opt = tf.contrib.mixed_precision.LossScaleOptimizer(opt, manager)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
opt = NPULossScaleOptimizer(opt, manager)
#### findings
2 auto
#### ranks agree when training is distributed
import tensorflow as tf
opt = tf.contrib.mixed_precision.LossScaleOptimizer(
    opt=opt,
    loss_scale_manager=manager,  # see above
)
#### with distributed=horovod
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
opt = NPULossScaleOptimizer(
    opt=opt,
    loss_scale_manager=manager, is_distributed=True,  # see above
)
#### imported class keeps its name
from tensorflow.contrib.mixed_precision import ExponentialUpdateLossScaleManager, LossScaleOptimizer
opt = LossScaleOptimizer(opt, manager)
#### after
from npu_bridge.estimator.npu.npu_loss_scale_manager import ExponentialUpdateLossScaleManager
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer as LossScaleOptimizer
opt = LossScaleOptimizer(opt, manager)
#### experimental optimizer with a number
import tensorflow as tf
opt = tf.train.experimental.MixedPrecisionLossScaleOptimizer(opt, loss_scale=128)
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_manager import FixedLossScaleManager
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
opt = NPULossScaleOptimizer(opt, loss_scale_manager=FixedLossScaleManager(loss_scale=128))
#### experimental optimizer with a loss scale object that becomes a manager
import tensorflow as tf
scale = tf.train.experimental.DynamicLossScale()
opt = tf.compat.v1.train.experimental.MixedPrecisionLossScaleOptimizer(opt, scale)
#### with distributed=tf_strategy
#### after
import tensorflow as tf
from npu_bridge.estimator.npu.npu_loss_scale_optimizer import NPULossScaleOptimizer
scale = tf.train.experimental.DynamicLossScale()
opt = NPULossScaleOptimizer(opt, scale, is_distributed=True)
